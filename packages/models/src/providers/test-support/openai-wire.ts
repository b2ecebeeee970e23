// OpenAI's Responses API.
import { z } from 'zod'
import { type FakeAnswer, type FakeBlock, type Wire, USAGE, inTurns, json, sse } from './wire.ts'

const inputText = z.strictObject({ type: z.literal('input_text'), text: z.string().min(1) })
const inputImage = z.strictObject({
  type: z.literal('input_image'),
  image_url: z.string().regex(/^(https:|data:image\/)/),
})
const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/)
const callId = z.string().min(1).max(64)

const item = z.union([
  z.strictObject({ role: z.enum(['system', 'developer']), content: z.string().min(1) }),
  z.strictObject({ role: z.literal('user'), content: z.array(z.union([inputText, inputImage])).min(1) }),
  z.strictObject({ role: z.literal('assistant'), content: z.string().min(1) }),
  z.strictObject({ type: z.literal('function_call'), call_id: callId, name, arguments: z.string() }),
  z.strictObject({
    type: z.literal('function_call_output'),
    call_id: callId,
    output: z.union([z.string(), z.array(z.union([inputText, inputImage]))]),
  }),
  z.strictObject({
    type: z.literal('reasoning'),
    id: z.string(),
    encrypted_content: z.string().min(1),
    summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
  }),
])
const bodySchema = z.looseObject({
  model: z.string(),
  stream: z.literal(true),
  store: z.literal(false),
  include: z.array(z.string()).optional(),
  input: z.array(item).min(1),
  tools: z
    .array(
      z.looseObject({
        type: z.literal('function'),
        name,
        strict: z.literal(false),
        parameters: z.looseObject({
          type: z.literal('object'),
          properties: z.looseObject({}),
          anyOf: z.undefined().optional(),
          oneOf: z.undefined().optional(),
        }),
      }),
    )
    .optional(),
})
type Item = z.infer<typeof item>

export const openaiWire: Wire = {
  kind: 'openai',
  basePath: '/v1',
  path: '/v1/responses',
  model: 'gpt-5',
  keyHeader: (key) => ['authorization', `Bearer ${key}`],
  answer: toEvents,
  contextTooLong: json(
    400,
    errorOf(
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
      'context_length_exceeded',
    ),
  ),
  badKey: json(
    401,
    errorOf(
      'Incorrect API key provided: sk-test. You can find your API key at https://example.com.',
      'invalid_api_key',
    ),
  ),
  rateLimited: json(429, errorOf('Rate limit reached for gpt-5', 'rate_limit_exceeded')),
  overloaded: json(503, errorOf('The engine is currently overloaded, please try again later', null)),
  overloadedMidway: event({
    type: 'error',
    code: 'server_is_overloaded',
    message: 'Our servers are currently overloaded.',
    param: null,
  }),
  refuses: (problem) => json(400, errorOf(problem, 'invalid_value')),
  findFault(body) {
    const parsed = bodySchema.safeParse(body)
    return parsed.success ? findDisorder(parsed.data.input) : z.prettifyError(parsed.error)
  },
  readHistory: (body) => bodySchema.parse(body).input.flatMap(tell),
}

function errorOf(message: string, code: string | null): unknown {
  return { error: { message, type: 'invalid_request_error', param: null, code } }
}

function findDisorder(input: readonly Item[]): string | undefined {
  const open = new Set<string>()
  const used = new Set<string>()
  for (const [index, part] of input.entries()) {
    if ('role' in part) {
      if (open.size > 0 && part.role !== 'assistant')
        return `No tool output found for function call ${[...open].join()}.`
      continue
    }
    if (part.type === 'function_call') {
      if (used.has(part.call_id)) return `Duplicate call id ${part.call_id}`
      used.add(part.call_id)
      open.add(part.call_id)
    }
    if (part.type === 'function_call_output' && !open.delete(part.call_id)) {
      return `No tool call found for function call output with call_id ${part.call_id}.`
    }
    const next = input[index + 1]
    const isFollowed = next && ('role' in next ? next.role === 'assistant' : next.type !== 'function_call_output')
    if (part.type === 'reasoning' && isFollowed !== true) {
      return `Item ${part.id} of type 'reasoning' was provided without its required following item.`
    }
  }
  return open.size > 0 ? `No tool output found for function call ${[...open].join()}.` : undefined
}

function tell(part: Item): readonly string[] {
  if ('role' in part) {
    if (part.role === 'system' || part.role === 'developer') return []
    return typeof part.content === 'string'
      ? [`assistant: ${part.content}`]
      : part.content.map((piece) => `user: ${shown(piece)}`)
  }
  switch (part.type) {
    case 'function_call':
      return [`call ${part.call_id}: ${part.name} ${part.arguments}`]
    case 'function_call_output': {
      const output = typeof part.output === 'string' ? part.output : part.output.map(shown).join(' ')
      const error = /^\{"error":(?<text>".*")\}$/s.exec(output)?.groups?.['text']
      return [error === undefined ? `result ${part.call_id}: ${output}` : `error ${part.call_id}: ${JSON.parse(error)}`]
    }
    case 'reasoning':
      return [`thinking: ${part.summary.map(({ text }) => `${text} `).join('')}[${part.encrypted_content}]`]
  }
}

function shown(piece: z.infer<typeof inputText> | z.infer<typeof inputImage>): string {
  return piece.type === 'input_text' ? piece.text : `image ${piece.image_url.replace(/^data:.*,/, '')}`
}

function toEvents({ blocks, finish, interleaved }: FakeAnswer): readonly string[] {
  const usage = {
    input_tokens: USAGE.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: USAGE.output,
    output_tokens_details: { reasoning_tokens: 0 },
  }
  const response = {
    id: 'resp_1',
    object: 'response',
    created_at: 1_750_000_000,
    model: 'gpt-5',
    error: null,
    incomplete_details: null,
  }
  const lists = blocks.map((block, index) => toItemEvents(block, index, finish === 'refusal'))
  const end =
    finish === 'length'
      ? {
          type: 'response.incomplete',
          response: { ...response, incomplete_details: { reason: 'max_output_tokens' }, usage },
        }
      : { type: 'response.completed', response: { ...response, usage } }
  return [
    event({ type: 'response.created', response }),
    event({ type: 'response.in_progress', response }),
    ...(interleaved === true ? inTurns(lists) : lists.flat()),
    event(end),
  ]
}

function toItemEvents(block: FakeBlock, output_index: number, isRefusal: boolean): readonly string[] {
  const id = `item_${output_index}`
  const added = (more: object): string =>
    event({ type: 'response.output_item.added', output_index, item: { id, ...more } })
  const done = (more: object): string =>
    event({ type: 'response.output_item.done', output_index, item: { id, ...more } })
  const piece = (type: string, delta: string, more: object = {}): string =>
    event({ type, item_id: id, output_index, delta, ...more })
  switch (block.type) {
    case 'text': {
      const type = isRefusal ? 'response.refusal.delta' : 'response.output_text.delta'
      const deltas = block.pieces.map((text) => piece(type, text, { content_index: 0, logprobs: [] }))
      const message = { type: 'message', role: 'assistant', status: 'completed', content: [] }
      return [added(message), ...deltas, done(message)]
    }
    case 'call': {
      const call = { type: 'function_call', call_id: block.id, name: block.name }
      const deltas = block.pieces.map((text) => piece('response.function_call_arguments.delta', text))
      return [
        added({ ...call, arguments: '', status: 'in_progress' }),
        ...deltas,
        done({ ...call, arguments: block.pieces.join(''), status: 'completed' }),
      ]
    }
    case 'thinking': {
      const part = { item_id: id, output_index, summary_index: 0, part: { type: 'summary_text', text: '' } }
      const deltas = block.pieces.map((text) =>
        piece('response.reasoning_summary_text.delta', text, { summary_index: 0 }),
      )
      const summary = block.pieces.length === 0 ? [] : [{ type: 'summary_text', text: block.pieces.join('') }]
      return [
        added({ type: 'reasoning', encrypted_content: null, summary: [] }),
        ...(deltas.length === 0 ? [] : [event({ type: 'response.reasoning_summary_part.added', ...part })]),
        ...deltas,
        ...(deltas.length === 0 ? [] : [event({ type: 'response.reasoning_summary_part.done', ...part })]),
        done({ type: 'reasoning', encrypted_content: block.signature ?? null, summary }),
      ]
    }
  }
}

function event(data: { readonly type: string; readonly [key: string]: unknown }): string {
  return sse({ sequence_number: 0, ...data }, data.type)
}
