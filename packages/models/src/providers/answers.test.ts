import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { historyAfter, joined, requestOf, createSetUp, weather } from './test-support/ask.ts'
import { type FakeAnswer, USAGE } from './test-support/wire.ts'
import { WIRES } from './test-support/wires.ts'

const setUp = createSetUp(createFakeClock)

const usage = { inputTokens: USAGE.input, outputTokens: USAGE.output }
const HELLO: FakeAnswer = { blocks: [{ type: 'text', pieces: ['Hel', 'lo ', 'you'] }], finish: 'stop' }
const CALLS: FakeAnswer = {
  blocks: [
    { type: 'text', pieces: ['Let me look.'] },
    { type: 'call', id: 'call_1', name: 'weather', pieces: ['{"city":', '"Oslo"}'], signature: 'sig-a' },
    { type: 'call', id: 'call_2', name: 'weather', pieces: ['{"ci', 'ty":"Rome"}'] },
  ],
  finish: 'calls',
}

describe.each(WIRES)('a model of kind $kind', (wire) => {
  it('streams text as it comes, and says how it ended and what it cost', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer(HELLO) })
    expect(await setup.ask('hi')).toEqual([
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo ' },
      { type: 'text', text: 'you' },
      { type: 'finished', finish: 'stop', usage },
    ])
  })

  it('sends the right request to the right place', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer(HELLO) })
    await setup.ask(requestOf('hi', { tools: [weather] }))
    const [request] = setup.provider.requests
    expect(request?.path.split('?')[0]).toBe(wire.path)
    expect(JSON.stringify(request?.body)).toContain('Be brief.')
    expect(JSON.stringify(request?.body)).toContain('Tells the weather')
    expect(wire.readHistory(request?.body)).toEqual(['user: hi'])
  })

  it('takes the key of the session before its own', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer(HELLO) }, { chunks: wire.answer(HELLO) })
    await setup.ask(requestOf('hi', { options: { apiKey: '' } }))
    await setup.ask(requestOf('hi', { options: { apiKey: 'sk-of-the-session' }, secretOptions: ['apiKey'] }))
    const [own] = wire.keyHeader('')
    expect(setup.provider.requests.map(({ headers }) => headers[own])).toEqual([
      wire.keyHeader('sk-test-0123456789abcdef')[1],
      wire.keyHeader('sk-of-the-session')[1],
    ])
  })

  it('makes several calls in one answer', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer(CALLS) })
    expect(await setup.ask(requestOf('weather?', { tools: [weather] }))).toMatchObject([
      { type: 'text', text: 'Let me look.' },
      { type: 'tool-call', id: 'call_1', name: 'weather', input: { city: 'Oslo' } },
      { type: 'tool-call', id: 'call_2', name: 'weather', input: { city: 'Rome' } },
      { type: 'finished', finish: 'tool-calls', usage },
    ])
  })

  it('reports a call while it is written', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer(CALLS) })
    const outputs = await setup.askLive(requestOf('weather?', { tools: [weather] }))
    const first = outputs.findIndex(({ type }) => type === 'tool-input')
    const whole = outputs.findIndex(({ type }) => type === 'tool-call')
    expect(first).toBeLessThan(whole)
    const written = outputs.flatMap((output) => (output.type === 'tool-input' ? [output] : []))
    const inputOf = (id: string): string => written.flatMap((one) => (one.id === id ? [one.text] : [])).join('')
    expect([...new Set(written.map(({ name }) => name))]).toEqual(['weather'])
    expect([inputOf('call_1'), inputOf('call_2')].map((text) => JSON.parse(text))).toEqual([
      { city: 'Oslo' },
      { city: 'Rome' },
    ])
  })

  it('keeps calls apart whose inputs come in turns', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer({ ...CALLS, interleaved: true }) })
    const calls = (await setup.ask(requestOf('weather?', { tools: [weather] }))).filter(
      ({ type }) => type === 'tool-call',
    )
    expect(calls).toMatchObject([{ input: { city: 'Oslo' } }, { input: { city: 'Rome' } }])
  })

  it('hands on both of two calls that have one id', async () => {
    await using setup = await setUp(wire)
    const blocks = CALLS.blocks.map((block) => (block.type === 'call' ? { ...block, id: 'call_1' } : block))
    setup.provider.push({ chunks: wire.answer({ ...CALLS, blocks }) })
    const calls = (await setup.ask(requestOf('weather?', { tools: [weather] }))).filter(
      ({ type }) => type === 'tool-call',
    )
    expect(calls).toMatchObject([{ id: 'call_1', input: { city: 'Oslo' } }, { input: { city: 'Rome' } }])
  })

  it('calls a tool without input with an empty one', async () => {
    await using setup = await setUp(wire)
    const pieces = wire.kind === 'google' ? ['{}'] : []
    setup.provider.push({
      chunks: wire.answer({ blocks: [{ type: 'call', id: 'c1', name: 'now', pieces }], finish: 'calls' }),
    })
    expect((await setup.ask('time?'))[0]).toMatchObject({ type: 'tool-call', name: 'now', input: {} })
  })

  it('calls a tool by the name that it was given', async () => {
    await using setup = await setUp(wire)
    const tools = [
      { ...weather, name: 'files.read' },
      { ...weather, name: 'files_read' },
    ]
    const blocks = [{ type: 'call', id: 'c1', name: 'files_read_2', pieces: ['{}'] }] as const
    setup.provider.push({ chunks: wire.answer({ blocks, finish: 'calls' }) })
    expect((await setup.ask(requestOf('read', { tools })))[0]).toMatchObject({ type: 'tool-call', name: 'files.read' })
  })

  it('says when it ran out of tokens', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer({ ...HELLO, finish: 'length' }) })
    expect((await setup.ask('hi')).at(-1)).toEqual({ type: 'finished', finish: 'token-limit', usage })
  })

  it('says when it refused', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({
      chunks: wire.answer({ blocks: [{ type: 'text', pieces: ['I will not.'] }], finish: 'refusal' }),
    })
    expect(joined(await setup.ask('do harm'))).toEqual([
      { type: 'text', text: 'I will not.' },
      { type: 'finished', finish: 'refused', usage },
    ])
  })

  it('thinks, and is given its thinking back in the next step', async () => {
    await using setup = await setUp(wire)
    const thinking = { type: 'thinking', pieces: ['It may ', 'rain.'], signature: 'sig-t' } as const
    const answer: FakeAnswer = { ...CALLS, blocks: [thinking, ...CALLS.blocks] }
    setup.provider.push({ chunks: wire.answer(answer) }, { chunks: wire.answer(HELLO) })
    const outputs = joined(await setup.ask(requestOf('weather?', { tools: [weather] })))
    expect(outputs[0]).toEqual({ type: 'thinking', text: 'It may rain.' })
    await setup.ask(requestOf(historyAfter(outputs, setup.model.modelName), { tools: [weather] }))
    expect(wire.readHistory(setup.provider.requests[1]?.body)).toEqual([
      'user: weather?',
      wire.kind === 'openai-compatible' ? 'thinking: It may rain.' : 'thinking: It may rain. [sig-t]',
      'assistant: Let me look.',
      'call call_1: weather {"city":"Oslo"}',
      'call call_2: weather {"city":"Rome"}',
      'result call_1: dry',
      wire.kind === 'openai-compatible' ? 'result call_2: no such city' : 'error call_2: no such city',
    ])
  })
})
