import {
  type AssistantPart,
  type JsonObject,
  type JsonValue,
  type ModelMessage,
  type OpaqueData,
  asToolCallId,
} from '@polylogue/engine'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findProvider } from './find-provider.ts'
import { createProviderModel } from './provider-model.ts'
import { collect, requestOf, weather } from './test-support/ask.ts'
import type { Wire } from './test-support/wire.ts'
import { WIRES } from './test-support/wires.ts'

// Whatever a session has been through: steps of several models, calls by any id and name, cut and empty texts. The
// engine promises one result for each call before anybody else speaks, and ids that are new in the session.
const text = fc.oneof(
  fc.constantFrom('', ' ', '\n', 'hi', 'half \ud83d', 'a "quote" \\ and \u0000'),
  fc.string({ maxLength: 12 }),
)
const modelName = fc.constantFrom('test/a', 'test/b', 'other/c')
const metadata = fc.constantFrom<JsonObject[]>(
  { anthropic: { signature: 's' } },
  { anthropic: { redactedData: 'r' } },
  { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'e' } },
  { openai: { itemId: 'rs_2' } },
  { google: { thoughtSignature: 't' } },
  {},
)
const opaque: fc.Arbitrary<OpaqueData> = fc.record({
  model: modelName,
  value: fc.oneof<fc.Arbitrary<JsonValue>[]>(
    fc.record({ own: metadata }),
    fc.record({ own: metadata, after: fc.array(metadata, { maxLength: 2 }) }),
    fc.record({ after: fc.array(metadata, { maxLength: 2 }) }),
    fc.constantFrom(null, 'odd', 7, [], { own: 'odd' }),
  ),
})
const said = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }),
  fc.record({ type: fc.constant('thinking' as const), text }),
  fc.record({ type: fc.constant('thinking' as const), text, opaque }),
)
const called = fc.record({
  name: fc.constantFrom('weather', 'files.read', '9 lives', 'functions.x'.repeat(9)),
  input: fc.constantFrom<JsonObject[]>({}, { city: 'half \ud83d' }, { _raw: '{"ci' }),
  opaque: fc.option(opaque, { nil: undefined }),
  result: text,
  isError: fc.boolean(),
})
const step = fc.record({
  blocks: fc.array(said, { maxLength: 4 }),
  calls: fc.array(called, { maxLength: 3 }),
  model: fc.option(modelName, { nil: undefined }),
})
const turn = fc.record({
  input: fc.oneof(text, fc.array(fc.record({ type: fc.constant('text' as const), text }), { maxLength: 2 })),
  steps: fc.array(step, { maxLength: 3 }),
})
const history = fc.record({ greeting: fc.boolean(), turns: fc.array(turn, { minLength: 1, maxLength: 4 }), last: text })

type History = typeof history extends fc.Arbitrary<infer T> ? T : never

function toMessages({ greeting, turns, last }: History): readonly ModelMessage[] {
  let calls = 0
  const messages: ModelMessage[] = greeting ? [{ role: 'assistant', content: 'Welcome' }] : []
  for (const { input, steps } of turns) {
    messages.push({ role: 'user', content: input })
    for (const { blocks, calls: made, model } of steps) {
      const settled = made.map((item) => ({ ...item, id: asToolCallId(`call ${calls++}`) }))
      const parts = settled.map(({ id, name, input: args, opaque: tag }): AssistantPart => ({
        type: 'tool-call',
        toolCallId: id,
        name,
        input: args,
        ...(tag && { opaque: tag }),
      }))
      if (blocks.length + parts.length > 0)
        messages.push({ role: 'assistant', content: [...blocks, ...parts], ...(model && { model }) })
      for (const { id, name, result, isError } of settled)
        messages.push({ role: 'tool', toolCallId: id, name, content: result, isError })
    }
  }
  return [...messages, { role: 'user', content: last }]
}

/** What a request would look like on the wire; nobody answers. */
async function bodyOf(wire: Wire, messages: readonly ModelMessage[], purpose: 'answer' | 'summary'): Promise<unknown> {
  let sent: unknown
  const model = createProviderModel({
    provider: findProvider(
      'test',
      { test: { kind: wire.kind, baseUrl: 'https://models.example/v1', apiKey: 'k' } },
      {},
    ),
    model: wire.model,
    modelName: 'test/a',
    settings: { thinking: 'medium' },
    clock: { now: () => 0, setTimer: () => ({ cancel: () => undefined }) },
    fetch: (_, init) => {
      sent = JSON.parse(String(init?.body))
      return Promise.resolve(new Response('{}', { status: 400 }))
    },
    random: () => 0,
    log: () => undefined,
  })
  await collect(model.stream(requestOf(messages, { tools: [weather], purpose }), new AbortController().signal))
  return sent
}

describe.each(WIRES)('any history', (wire) => {
  it(`is valid for ${wire.kind}`, async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.boolean(), async (drawn, isSummary) => {
        const messages = toMessages(drawn)
        const cut = isSummary ? messages.slice(0, -1) : messages
        const body = await bodyOf(wire, cut, isSummary ? 'summary' : 'answer')
        expect(wire.findFault(body)).toBeUndefined()
      }),
      { numRuns: 200 },
    )
  })
})
