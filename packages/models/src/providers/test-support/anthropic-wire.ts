// Anthropic's Messages API, version 2023-06-01.
import { z } from 'zod'
import { type FakeAnswer, type FakeBlock, type Wire, USAGE, inTurns, json, sse } from './wire.ts'

const text = z.looseObject({
  type: z.literal('text'),
  text: z.string().regex(/\S/, 'text content blocks must be non-empty'),
})
const image = z.looseObject({
  type: z.literal('image'),
  source: z.union([
    z.strictObject({ type: z.literal('base64'), media_type: z.string(), data: z.string().min(1) }),
    z.strictObject({ type: z.literal('url'), url: z.string().startsWith('https://') }),
  ]),
})
const callId = z.string().regex(/^[a-zA-Z0-9_-]+$/)
const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/)
const result = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: callId,
  content: z.union([z.string(), z.array(z.union([text, image]))]),
  is_error: z.boolean().optional(),
})
const call = z.looseObject({
  type: z.literal('tool_use'),
  id: callId,
  name: toolName,
  input: z.record(z.string(), z.unknown()),
})
const thinking = z.looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().min(1) })
const redacted = z.looseObject({ type: z.literal('redacted_thinking'), data: z.string().min(1) })

const bodySchema = z.looseObject({
  model: z.string(),
  max_tokens: z.number(),
  stream: z.literal(true),
  system: z.array(text).optional(),
  thinking: z.looseObject({ type: z.string() }).optional(),
  messages: z
    .array(
      z.union([
        z.strictObject({ role: z.literal('user'), content: z.array(z.union([text, image, result])).min(1) }),
        z.strictObject({
          role: z.literal('assistant'),
          content: z.array(z.union([text, thinking, redacted, call])).min(1),
        }),
      ]),
    )
    .min(1),
  tools: z
    .array(
      z.looseObject({
        name: toolName,
        input_schema: z.looseObject({
          type: z.literal('object'),
          anyOf: z.undefined().optional(),
          oneOf: z.undefined().optional(),
          allOf: z.undefined().optional(),
        }),
      }),
    )
    .optional(),
})
type Body = z.infer<typeof bodySchema>

export const anthropicWire: Wire = {
  kind: 'anthropic',
  basePath: '/v1',
  path: '/v1/messages',
  model: 'claude-sonnet-4-5',
  keyHeader: (key) => ['x-api-key', key],
  answer: toEvents,
  contextTooLong: json(400, errorOf('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum')),
  badKey: json(401, errorOf('authentication_error', 'invalid x-api-key')),
  rateLimited: json(429, errorOf('rate_limit_error', 'Number of request tokens has exceeded your rate limit')),
  overloaded: json(529, errorOf('overloaded_error', 'Overloaded')),
  overloadedMidway: sse(errorOf('overloaded_error', 'Overloaded'), 'error'),
  refuses: (problem) => json(400, errorOf('invalid_request_error', problem)),
  findFault(body) {
    const parsed = bodySchema.safeParse(body)
    return parsed.success ? findDisorder(parsed.data) : z.prettifyError(parsed.error)
  },
  readHistory: (body) =>
    bodySchema.parse(body).messages.flatMap(({ role, content }) => content.map((part) => tell(role, part))),
}

function errorOf(type: string, message: string): unknown {
  return { type: 'error', error: { type, message }, request_id: 'req_1' }
}

function findDisorder({ messages, thinking: asked }: Body): string | undefined {
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role'
  if (messages.at(-1)?.role === 'assistant') return 'this model does not support assistant message prefill'
  for (const [index, message] of messages.entries()) {
    if (message.role === messages[index - 1]?.role) return 'messages: roles must alternate'
    const next = messages[index + 1]
    const calls = message.content.flatMap((part) => (part.type === 'tool_use' ? [part.id] : []))
    const answers = next?.content.flatMap((part) => (part.type === 'tool_result' ? [part.tool_use_id] : [])) ?? []
    if (new Set(calls).size < calls.length) return 'messages: `tool_use` ids must be unique'
    if (calls.toSorted().join() !== (message.role === 'assistant' ? answers : calls).toSorted().join()) {
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`
    }
    const firstOther = next?.content.findIndex((part) => part.type !== 'tool_result') ?? -1
    const lastResult = next?.content.findLastIndex((part) => part.type === 'tool_result') ?? -1
    if (firstOther !== -1 && firstOther < lastResult) return 'messages: tool_result blocks must come first'
    const last = message.content.at(-1)?.type
    if (last === 'thinking' || last === 'redacted_thinking')
      return 'the final block in an assistant message cannot be `thinking`'
  }
  const lastCalling = messages.findLast(({ role }) => role === 'assistant')
  const isOpen = messages.at(-1)?.content.some((part) => part.type === 'tool_result')
  const isThinking = /thinking/.test(lastCalling?.content[0]?.type ?? '')
  return asked?.type === 'enabled' && isOpen && !isThinking
    ? 'Expected `thinking` or `redacted_thinking`, but found `tool_use`'
    : undefined
}

function tell(role: string, part: Body['messages'][number]['content'][number]): string {
  switch (part.type) {
    case 'text':
      return `${role}: ${part.text}`
    case 'image':
      return `${role}: image ${part.source.type === 'url' ? part.source.url : part.source.data}`
    case 'thinking':
      return `thinking: ${part.thinking} [${part.signature}]`
    case 'redacted_thinking':
      return `thinking: [${part.data}]`
    case 'tool_use':
      return `call ${part.id}: ${part.name} ${JSON.stringify(part.input)}`
    case 'tool_result': {
      const shown =
        typeof part.content === 'string' ? part.content : part.content.map((item) => tell('shown', item)).join(' ')
      return `${part.is_error === true ? 'error' : 'result'} ${part.tool_use_id}: ${shown.replaceAll('shown: ', '')}`
    }
  }
}

const STOP_REASONS = { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens', refusal: 'refusal' }

function toEvents({ blocks, finish, interleaved }: FakeAnswer): readonly string[] {
  const usage = { input_tokens: USAGE.input, output_tokens: 1 }
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [],
    model: 'm',
    stop_reason: null,
    stop_sequence: null,
    usage,
  }
  const lists = blocks.map(toBlockEvents)
  return [
    event({ type: 'message_start', message }),
    event({ type: 'ping' }),
    ...(interleaved === true ? inTurns(lists) : lists.flat()),
    event({
      type: 'message_delta',
      delta: { stop_reason: STOP_REASONS[finish], stop_sequence: null },
      usage: { output_tokens: USAGE.output },
    }),
    event({ type: 'message_stop' }),
  ]
}

function toBlockEvents(block: FakeBlock, index: number): readonly string[] {
  const start = (content_block: unknown): string => event({ type: 'content_block_start', index, content_block })
  const delta = (value: unknown): string => event({ type: 'content_block_delta', index, delta: value })
  const stop = event({ type: 'content_block_stop', index })
  switch (block.type) {
    case 'text':
      return [
        start({ type: 'text', text: '' }),
        ...block.pieces.map((piece) => delta({ type: 'text_delta', text: piece })),
        stop,
      ]
    case 'call':
      return [
        start({ type: 'tool_use', id: block.id, name: block.name, input: {} }),
        ...block.pieces.map((piece) => delta({ type: 'input_json_delta', partial_json: piece })),
        stop,
      ]
    case 'thinking':
      if (block.pieces.length === 0) return [start({ type: 'redacted_thinking', data: block.signature }), stop]
      return [
        start({ type: 'thinking', thinking: '', signature: '' }),
        ...block.pieces.map((piece) => delta({ type: 'thinking_delta', thinking: piece })),
        ...(block.signature === undefined ? [] : [delta({ type: 'signature_delta', signature: block.signature })]),
        stop,
      ]
  }
}

function event(data: { readonly type: string; readonly [key: string]: unknown }): string {
  return sse(data, data.type)
}
