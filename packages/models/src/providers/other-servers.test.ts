import { asToolCallId, type ModelMessage } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { resolveModel, type ModelDeps } from './resolve-model.ts'
import { anthropicWire } from './test-support/anthropic-wire.ts'
import { DEADLINES, collect, createSetUp, requestOf, toolResult, weather } from './test-support/ask.ts'
import { chatWire } from './test-support/chat-wire.ts'
import { startFakeProvider } from './test-support/fake-provider.ts'
import { json } from './test-support/wire.ts'

const setUp = createSetUp(createFakeClock)
const HELLO = { blocks: [{ type: 'text', pieces: ['Hello'] }], finish: 'stop' } as const
const signal = new AbortController().signal
const deps = (more: Partial<ModelDeps>): ModelDeps => ({ env: {}, clock: createFakeClock(), ...more })

describe('Ollama', () => {
  it('is talked to where its variable says, without a key', async () => {
    const server = await startFakeProvider(chatWire)
    server.push({ chunks: chatWire.answer(HELLO) })
    const model = resolveModel('ollama/llama3.2:3b', deps({ env: { OLLAMA_HOST: new URL(server.baseUrl).host } }))
    expect((await collect(model.stream(requestOf('hi'), signal))).at(-1)).toMatchObject({
      type: 'finished',
      finish: 'stop',
    })
    expect(server.requests[0]).toMatchObject({ path: '/v1/chat/completions', body: { model: 'llama3.2:3b' } })
    expect(server.requests[0]?.headers.authorization).toBeUndefined()
    await server.stop()
  })

  it('that counts no tokens is given an estimate', async () => {
    await using setup = await setUp(chatWire)
    setup.provider.push({ chunks: chatWire.answer(HELLO).filter((chunk) => !chunk.includes('usage')) })
    expect((await setup.ask('hi')).at(-1)).toMatchObject({ usage: { inputTokens: 3, outputTokens: 2 } })
  })
})

describe('Mistral', () => {
  const history: readonly ModelMessage[] = [
    { role: 'user', content: 'weather?' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'hm' },
        { type: 'tool-call', toolCallId: asToolCallId('toolu_0123'), name: 'weather', input: {} },
      ],
      model: 'mistral/large',
    },
    toolResult('toolu_0123', 'weather', 'cancelled', true),
    { role: 'user', content: 'never mind' },
  ]

  it('is given ids of nine characters, an answer before the user speaks, and nothing that it does not know', async () => {
    const server = await startFakeProvider(chatWire)
    server.push({ chunks: chatWire.answer(HELLO) })
    const fetch: ModelDeps['fetch'] = (url, init) =>
      globalThis.fetch(String(url).replace('https://api.mistral.ai/v1', server.baseUrl), init)
    const providers = { mistral: { baseUrl: 'https://api.mistral.ai/v1' } }
    const model = resolveModel('mistral/large', deps({ fetch, providers, env: { MISTRAL_API_KEY: 'k' } }))
    await collect(model.stream(requestOf(history, { tools: [weather] }), signal))
    expect(server.faults).toEqual([])
    expect(server.requests[0]?.body).not.toHaveProperty('stream_options')
    const sent = chatWire.readHistory(server.requests[0]?.body)
    const id = /^call ([0-9a-f]{9}):/.exec(sent[1] ?? '')?.[1]
    expect(sent).toEqual([
      'user: weather?',
      `call ${id}: weather {}`,
      `result ${id}: cancelled`,
      'assistant: (no answer)',
      'user: never mind',
    ])
    await server.stop()
  })
})

describe('a server that is not what it says', () => {
  it('gets no key by sending us elsewhere', async () => {
    await using setup = await setUp(anthropicWire)
    await using other = await setUp(anthropicWire)
    const moved = { status: 307, headers: { location: `${other.provider.baseUrl}/messages` }, chunks: [''] }
    setup.provider.push(moved)
    const outputs = await setup.ask('hi')
    expect(outputs).toMatchObject([{ type: 'failed', error: { code: 'model-error' } }])
    expect(JSON.stringify(outputs)).not.toContain('127.0.0.1')
    expect(other.provider.requests).toEqual([])
  })

  it('shows no address in what clients read', async () => {
    await using setup = await setUp(anthropicWire)
    setup.provider.push(json(418, { error: 'teapot' }))
    expect(JSON.stringify(await setup.ask('hi'))).not.toContain('127.0.0.1')
  })

  it('does not hold our connections, even when many hang at once', async () => {
    await using setup = await setUp(anthropicWire)
    const count = 60
    setup.provider.push(...Array.from({ length: count }, () => ({ chunks: [], ending: 'hang' as const })))
    const asked = Array.from({ length: count }, () => setup.ask('hi'))
    for (let index = 0; index < count; index++) await setup.provider.hanging()
    setup.clock.advance(DEADLINES.firstByteMs)
    for (const outputs of await Promise.all(asked)) {
      expect(outputs).toMatchObject([{ type: 'failed', error: { code: 'model-stalled' } }])
    }
    for (let index = 0; index < count; index++) await setup.provider.left()
    expect(setup.clock.pendingTimers()).toBe(0)
  })
})
