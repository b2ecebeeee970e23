import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { LONGEST_CALL } from './output-translator.ts'
import { parseCallInput } from './parse-call-input.ts'
import { requestOf, createSetUp, weather } from './test-support/ask.ts'
import { WIRES } from './test-support/wires.ts'

const setUp = createSetUp(createFakeClock)

const callWith = (pieces: readonly string[]) =>
  ({ blocks: [{ type: 'call', id: 'c1', name: 'weather', pieces }], finish: 'calls' }) as const

// Google sends inputs as JSON values, never as text that could be broken.
describe.each(WIRES.filter(({ kind }) => kind !== 'google'))('a call by a model of kind $kind', (wire) => {
  it.each([
    ['is broken JSON', ['{"city": "Os']],
    ['is no JSON', ['Oslo, please']],
    ['is JSON too deep to be stored', ['['.repeat(5000), ']'.repeat(5000)]],
  ])('whose input %s is handed on as the text it is', async (_, pieces) => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer(callWith(pieces)) })
    expect(await setup.ask(requestOf('weather?', { tools: [weather] }))).toMatchObject([
      { type: 'tool-call', name: 'weather', input: pieces.join('') },
      { type: 'finished', finish: 'tool-calls' },
    ])
  })

  it('whose input is an array, a number or a text is handed on as that', async () => {
    await using setup = await setUp(wire)
    for (const input of ['[1]', '42', '"Oslo"']) {
      setup.provider.push({ chunks: wire.answer(callWith([input])) })
      expect((await setup.ask('weather?'))[0]).toMatchObject({ type: 'tool-call', input: JSON.parse(input) })
    }
  })

  it('of megabytes arrives whole', async () => {
    await using setup = await setUp(wire)
    const city = 'x'.repeat(2_000_000)
    setup.provider.push({ chunks: wire.answer(callWith(['{"city":"', city, '"}'])) })
    expect((await setup.ask('weather?'))[0]).toMatchObject({ type: 'tool-call', input: { city } })
  })

  it('that never ends is stopped, and the connection with it', async () => {
    await using setup = await setUp(wire)
    const pieces = Array.from({ length: 11 }, () => 'x'.repeat(1024 * 1024))
    setup.provider.push({ chunks: wire.answer(callWith(pieces)), after: 10, ending: 'hang' })
    expect(await setup.ask('weather?')).toMatchObject([
      { type: 'failed', error: { code: 'model-error', message: 'The model wrote a tool call that is too long.' } },
    ])
    await setup.provider.left()
  })
})

describe('the input of a call', () => {
  it('is empty when nothing was written', () => {
    expect([parseCallInput(''), parseCallInput(' \n')]).toEqual([{}, {}])
  })

  it('may be as deep as the doors allow and no deeper', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
    expect(parseCallInput(nested(64))).toEqual(JSON.parse(nested(64)))
    expect(parseCallInput(nested(65))).toBe(nested(65))
  })

  it('keeps an input of many small values as text: every reader would walk through them', () => {
    const keys = (count: number): string => `{${Array.from({ length: count }, (_, key) => `"k${key}":1`).join()}}`
    const list = `{"a":[${'{},'.repeat(50_000)}{}]}`
    const long = `{"a":"${',[{:\\"'.repeat(100_000)}"}`
    expect(parseCallInput(keys(20_000))).toEqual(JSON.parse(keys(20_000)))
    expect(parseCallInput(keys(30_000))).toBe(keys(30_000))
    expect(parseCallInput(list)).toBe(list)
    expect(parseCallInput(long)).toEqual(JSON.parse(long))
  })

  it('may be as long as the largest request', () => {
    expect(LONGEST_CALL).toBe(4 * 1024 * 1024)
  })
})
