import type { ModelOutput } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { DEADLINES, TEST_KEY, requestOf, createSetUp, weather } from './test-support/ask.ts'
import { chatWire } from './test-support/chat-wire.ts'
import { type FakeAnswer, json } from './test-support/wire.ts'
import { WIRES } from './test-support/wires.ts'

const setUp = createSetUp(createFakeClock)

const HELLO: FakeAnswer = { blocks: [{ type: 'text', pieces: ['Hel', 'lo ', 'you'] }], finish: 'stop' }
const BUSY: FakeAnswer = {
  blocks: [
    { type: 'thinking', pieces: ['Hmm, ', 'well.'], signature: 'sig-t' },
    { type: 'text', pieces: ['I ', 'look.'] },
    { type: 'call', id: 'call_1', name: 'weather', pieces: ['{"city":', '"Oslo"}'], signature: 'sig-a' },
    { type: 'call', id: 'call_2', name: 'weather', pieces: ['{"city":"Rome"}'] },
  ],
  finish: 'calls',
}
const failure = (code: string): unknown => ({
  type: 'failed',
  error: { code, message: expect.stringMatching(/^[A-Z].*\.$/) },
})
const codeOf = (outputs: readonly ModelOutput[]): string | undefined => {
  const last = outputs.at(-1)
  return last?.type === 'failed' ? last.error.code : last?.type
}
const textOf = (outputs: readonly ModelOutput[]): string =>
  outputs.map((output) => (output.type === 'text' || output.type === 'thinking' ? output.text : '')).join('')

describe.each(WIRES)('a model of kind $kind', (wire) => {
  it.each([
    ['that the conversation is too long', 'context-too-long', wire.contextTooLong],
    ['that the key is wrong', 'model-auth', wire.badKey],
    ['that the request is wrong', 'model-refused-request', wire.refuses('temperature: is not wanted')],
    [
      'that the model is unknown',
      'model-refused-request',
      json(404, { error: { message: 'not here', code: 404, status: 'NOT_FOUND', type: 'not_found_error' } }),
    ],
  ])('says in a sentence %s, and asks only once', async (_, code, reply) => {
    await using setup = await setUp(wire)
    setup.provider.push(reply)
    expect(await setup.ask('hi')).toEqual([failure(code)])
    expect(setup.provider.requests).toHaveLength(1)
  })

  it('retries after a rate limit', async () => {
    await using setup = await setUp(wire)
    const patient = { ...wire.rateLimited, headers: { ...wire.rateLimited.headers, 'retry-after': '7' } }
    setup.provider.push(wire.rateLimited, patient, { chunks: wire.answer(HELLO) })
    expect(codeOf(await setup.ask('hi'))).toBe('finished')
    expect(setup.pauses).toEqual([750, 7500])
  })

  it('gives up at once when it would have to wait too long', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({ ...wire.rateLimited, headers: { ...wire.rateLimited.headers, 'retry-after': '90' } })
    const [last] = await setup.ask('hi')
    expect(last).toMatchObject({
      type: 'failed',
      error: { code: 'model-rate-limited', message: expect.stringContaining('for 90 seconds') },
    })
    expect(setup.pauses).toEqual([])
  })

  it('gives up a storm of overload after three more attempts', async () => {
    await using setup = await setUp(wire)
    setup.provider.push(...Array.from({ length: 6 }, () => wire.overloaded))
    expect(await setup.ask('hi')).toEqual([failure('model-overloaded')])
    expect(setup.provider.requests).toHaveLength(4)
    expect(setup.pauses).toEqual([750, 1500, 3000])
  })

  it('says why it asks again, and when', async () => {
    await using setup = await setUp(wire)
    setup.provider.push(wire.overloaded, { chunks: wire.answer(HELLO) })
    const [first] = await setup.askLive('hi')
    expect(first).toEqual({
      type: 'retry',
      error: { code: 'model-overloaded', message: expect.any(String) },
      delayMs: 750,
    })
  })

  it('asks again after an error of the provider itself', async () => {
    await using setup = await setUp(wire)
    setup.provider.push(
      { status: 500, headers: {}, chunks: ['<html>oops</html>'] },
      { status: 502, headers: {}, chunks: [''] },
      { chunks: wire.answer(HELLO) },
    )
    expect(textOf(await setup.ask('hi'))).toBe('Hello you')
  })

  it('shows clients nothing of what the provider said, and the log nothing of the key', async () => {
    await using setup = await setUp(wire)
    setup.provider.push(wire.refuses(`internal detail 4711 about ${TEST_KEY}`))
    const outputs = JSON.stringify(await setup.ask('hi'))
    expect(outputs).not.toContain('4711')
    expect(outputs).not.toContain(TEST_KEY)
    expect(setup.logged).toEqual([
      expect.objectContaining({
        level: 'warn',
        code: 'model-refused-request',
        status: 400,
        model: setup.model.modelName,
      }),
    ])
    expect(JSON.stringify(setup.logged)).toContain('4711')
    expect(JSON.stringify(setup.logged)).not.toContain(TEST_KEY)
  })

  it('asks again when nothing at all came', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: [] }, { chunks: [], ending: 'cut' }, { chunks: wire.answer(HELLO) })
    expect(textOf(await setup.ask('hi'))).toBe('Hello you')
    expect(setup.provider.requests).toHaveLength(3)
  })

  it('says so when every answer is empty', async () => {
    await using setup = await setUp(wire)
    setup.provider.push(...Array.from({ length: 4 }, () => ({ chunks: [] })))
    expect(await setup.ask('hi')).toEqual([failure('model-cut-off')])
  })

  it.each(['end', 'cut'] as const)(
    'never repeats itself when the answer stops early by %s, after any chunk',
    async (ending) => {
      const chunks = wire.answer(BUSY)
      // The last chunk of chat completions only says that nothing more comes, the one before it what it cost.
      const needed = wire.kind === 'openai-compatible' ? chunks.length - 2 : chunks.length
      for (let after = 1; after < needed; after++) {
        await using setup = await setUp(wire)
        setup.provider.push({ chunks, after, ending }, { chunks })
        const outputs = await setup.ask(requestOf('weather?', { tools: [weather] }))
        const isRepeated = setup.provider.requests.length === 2
        expect([after, codeOf(outputs)]).toEqual([after, isRepeated ? 'finished' : 'model-cut-off'])
        const whole = 'Hmm, well.I look.'
        expect(textOf(outputs)).toBe(isRepeated ? whole : whole.slice(0, textOf(outputs).length))
      }
    },
  )

  it('fails when the provider reports an error in the middle', async () => {
    await using setup = await setUp(wire)
    const chunks = [...wire.answer(HELLO).slice(0, 4), wire.overloadedMidway]
    setup.provider.push({ chunks })
    const outputs = await setup.ask('hi')
    expect(outputs.at(-1)).toEqual(failure('model-overloaded'))
    expect(outputs.length).toBeGreaterThan(1)
    expect(setup.provider.requests).toHaveLength(1)
  })

  it('fails when it is answered with something else', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: ['data: {"hello": "world"\n\n'] })
    expect(await setup.ask('hi')).toEqual([failure('model-error')])
  })

  it('cannot be reached when nothing listens', async () => {
    await using setup = await setUp(wire)
    await setup.provider.stop()
    expect(await setup.ask('hi')).toEqual([failure('model-unreachable')])
    expect(setup.pauses).toHaveLength(3)
  })

  it('fails and hangs up when the provider never begins', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: [], ending: 'hang' })
    const asked = setup.ask('hi')
    await setup.provider.hanging()
    setup.clock.advance(DEADLINES.firstByteMs)
    expect(await asked).toEqual([failure('model-stalled')])
    await setup.provider.left()
    expect(setup.clock.pendingTimers()).toBe(0)
  })

  it('fails and hangs up when the provider falls silent', async () => {
    await using setup = await setUp(wire)
    const chunks = wire.answer(HELLO)
    const after = chunks.findIndex((chunk) => chunk.includes('"you"')) + 1
    setup.provider.push({ chunks, after, ending: 'hang' })
    const outputs = setup.model.stream(requestOf('hi'), new AbortController().signal)[Symbol.asyncIterator]()
    let heard = ''
    while (heard !== 'Hello you') heard += textOf([(await outputs.next()).value as ModelOutput])
    const next = outputs.next()
    setup.clock.advance(DEADLINES.idleMs)
    expect((await next).value).toEqual(failure('model-stalled'))
    expect((await outputs.next()).done).toBe(true)
    await setup.provider.left()
  })

  it('fails and hangs up when the whole takes too long', async () => {
    await using setup = await setUp(wire, {}, { deadlines: { ...DEADLINES, firstByteMs: 90_000_000 } })
    setup.provider.push({ chunks: [], ending: 'hang' })
    const asked = setup.ask('hi')
    await setup.provider.hanging()
    setup.clock.advance(DEADLINES.totalMs)
    expect(await asked).toEqual([failure('model-stalled')])
    await setup.provider.left()
  })

  it('hangs up and says nothing more when it is cancelled', async () => {
    await using setup = await setUp(wire)
    const cancel = new AbortController()
    setup.provider.push({ chunks: wire.answer(HELLO), after: 3, ending: 'hang' })
    const asked = setup.ask('hi', cancel.signal)
    await setup.provider.hanging()
    cancel.abort()
    expect(codeOf(await asked)).not.toBe('failed')
    await setup.provider.left()
    expect(setup.clock.pendingTimers()).toBe(0)
  })

  it('hangs up when its reader leaves', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer(HELLO), after: 5, ending: 'hang' })
    for await (const output of setup.model.stream(requestOf('hi'), new AbortController().signal)) {
      expect(output.type).toBe('text')
      break
    }
    await setup.provider.left()
    expect(setup.clock.pendingTimers()).toBe(0)
  })

  it('stops waiting for the next attempt when it is cancelled', async () => {
    await using setup = await setUp(wire)
    const cancel = new AbortController()
    setup.provider.push({ ...wire.rateLimited, headers: { ...wire.rateLimited.headers, 'retry-after': '30' } })
    const asked = setup.ask('hi', cancel.signal)
    await setup.longPause
    cancel.abort()
    expect(await asked).toEqual([])
  })

  it('does not even ask when it is cancelled before', async () => {
    await using setup = await setUp(wire)
    expect(await setup.ask('hi', AbortSignal.abort())).toEqual([])
    expect(setup.provider.requests).toEqual([])
  })
})

describe('a key that is missing', () => {
  it.each(WIRES.filter(({ kind }) => kind !== 'openai-compatible'))('is asked for by name by $kind', async (wire) => {
    await using setup = await setUp(wire, { apiKey: undefined, apiKeyEnv: 'MY_KEY' })
    const message = 'There is no API key for the provider test: set MY_KEY, or the option apiKey of the session.'
    expect(await setup.ask('hi')).toEqual([{ type: 'failed', error: { code: 'model-auth', message } }])
    expect(setup.provider.requests).toEqual([])
  })

  it.each(WIRES)('is not made up for by one that no header can carry, for $kind', async (wire) => {
    await using setup = await setUp(wire)
    const outputs = await setup.ask(requestOf('hi', { options: { apiKey: 'sk-a\nb' } }))
    expect(outputs).toEqual([failure('model-auth')])
    expect(JSON.stringify([outputs, setup.logged])).not.toContain('sk-a')
  })

  it('is not needed by an OpenAI-compatible server', async () => {
    await using setup = await setUp(chatWire, { apiKey: undefined })
    setup.provider.push({ chunks: chatWire.answer(HELLO) })
    expect(codeOf(await setup.ask('hi'))).toBe('finished')
    expect(setup.provider.requests[0]?.headers.authorization).toBeUndefined()
  })
})
