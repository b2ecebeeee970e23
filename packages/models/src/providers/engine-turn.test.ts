import { type FakeModel, createFakeClock, createFakeTool, startSession } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import type { NamedModel } from './provider-model.ts'
import { createSetUp } from './test-support/ask.ts'
import type { FakeAnswer } from './test-support/wire.ts'
import { WIRES } from './test-support/wires.ts'

const setUp = createSetUp(createFakeClock)
const HELLO: FakeAnswer = { blocks: [{ type: 'text', pieces: ['Dry ', 'in Oslo.'] }], finish: 'stop' }
const STEP: FakeAnswer = {
  blocks: [
    { type: 'thinking', pieces: ['Look ', 'first.'], signature: 'sig-t' },
    { type: 'call', id: 'call_1', name: 'weather', pieces: ['{"city":"Oslo"}'], signature: 'sig-a' },
    { type: 'call', id: 'call_1', name: 'weather', pieces: ['{"bad":true}'] },
    { type: 'call', id: 'call_3', name: 'nothing', pieces: ['{}'] },
  ],
  finish: 'calls',
}

/** The test engine keeps a list of requests with its model; ours keeps none. */
const forEngine = (model: NamedModel): FakeModel => ({ ...model, requests: [], push: () => undefined })

describe.each(WIRES)('a turn with a model of kind $kind', (wire) => {
  const weather = createFakeTool('weather', { run: () => ({ content: 'dry' }) })

  it('calls tools and comes to an answer', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer(STEP) }, { chunks: wire.answer(HELLO) }, { chunks: wire.answer(HELLO) })
    const session = await startSession({ model: forEngine(setup.model), tools: [weather] })
    await session.say('weather?')
    await session.untilRest()
    await session.say('and tomorrow?')
    await session.untilRest()
    const events = await session.events()
    expect(events.flatMap((event) => (event.type === 'turn.ended' ? [event.outcome] : []))).toEqual([
      'finished',
      'finished',
    ])
    expect(events.flatMap((event) => (event.type === 'tool-call.settled' ? [event.status] : [])).toSorted()).toEqual([
      'completed',
      'failed',
      'failed',
    ])
    const [, second, third] = setup.provider.requests.map(({ body }) => wire.readHistory(body))
    expect(second?.filter((line) => line.startsWith('thinking'))).toHaveLength(
      wire.kind === 'openai-compatible' ? 0 : 1,
    )
    expect(second?.join('\n')).toContain('invalid input for weather: bad: must not be true')
    expect(second?.join('\n')).toContain('there is no tool called nothing')
    expect(third?.slice(-2)).toEqual(['assistant: Dry in Oslo.', 'user: and tomorrow?'])
  })

  it('continues after a call that cannot be read', async () => {
    await using setup = await setUp(wire)
    const input = wire.kind === 'google' ? '{"bad":true}' : '{"city": "Os'
    const broken: FakeAnswer = {
      blocks: [{ type: 'call', id: 'c1', name: 'weather', pieces: [input] }],
      finish: 'calls',
    }
    setup.provider.push({ chunks: wire.answer(broken) }, { chunks: wire.answer(HELLO) })
    const session = await startSession({ model: forEngine(setup.model), tools: [weather] })
    await session.say('weather?')
    await session.untilRest()
    expect((await session.events()).at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
  })

  it('keeps the messages from before the connection broke, and can continue', async () => {
    await using setup = await setUp(wire)
    const chunks = wire.answer(HELLO)
    const after = chunks.findIndex((chunk) => chunk.includes('"Dry "')) + 1
    setup.provider.push({ chunks, after }, { chunks })
    const session = await startSession({ model: forEngine(setup.model) })
    await session.say('weather?')
    await session.untilRest()
    const events = await session.events()
    expect(events.at(-2)).toMatchObject({
      type: 'step.ended',
      outcome: 'failed',
      partial: [{ type: 'text', text: 'Dry ' }],
    })
    expect(events.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'failed', error: { code: 'model-cut-off' } })
    await session.say('again?')
    await session.untilRest()
    expect((await session.events()).at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
  })

  it('hangs up when the user cancels', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer(HELLO), after: 3, ending: 'hang' })
    const session = await startSession({ model: forEngine(setup.model) })
    await session.say('weather?')
    await setup.provider.hanging()
    await session.cancel()
    await setup.provider.left()
    await session.untilRest()
    expect((await session.events()).at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'cancelled' })
  })
})
