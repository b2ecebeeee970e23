// OpenAI's older chat completions, which Ollama, vLLM, llama.cpp, LM Studio and many providers speak.
import { z } from 'zod'
import { type FakeAnswer, type FakeBlock, type Wire, USAGE, inTurns, json, sse } from './wire.ts'

const text = z.strictObject({ type: z.literal('text'), text: z.string().min(1) })
const image = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: z.string().regex(/^(https:|data:image\/)/) }),
})
const call = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  /** Of Gemini, where it speaks this format. */
  extra_content: z.looseObject({}).optional(),
  function: z.strictObject({ name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/), arguments: z.string() }),
})
const messageSchema = z.union([
  z.strictObject({ role: z.literal('system'), content: z.string().min(1) }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string().min(1), z.array(z.union([text, image])).min(1)]),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string().min(1).nullable(),
    reasoning_content: z.string().optional(),
    tool_calls: z.array(call).min(1).optional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string().min(1) }),
])
const bodySchema = z.looseObject({
  model: z.string(),
  stream: z.literal(true),
  stream_options: z.strictObject({ include_usage: z.literal(true) }).optional(),
  messages: z.array(messageSchema).min(1),
  tools: z
    .array(
      z.looseObject({
        type: z.literal('function'),
        function: z.looseObject({ parameters: z.looseObject({ type: z.literal('object') }) }),
      }),
    )
    .optional(),
})
type Message = z.infer<typeof messageSchema>

export const chatWire: Wire = {
  kind: 'openai-compatible',
  basePath: '/v1',
  path: '/v1/chat/completions',
  model: 'llama3.2',
  keyHeader: (key) => ['authorization', `Bearer ${key}`],
  answer: toEvents,
  contextTooLong: json(
    400,
    errorOf("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."),
  ),
  badKey: json(401, errorOf('Invalid API key')),
  rateLimited: json(429, errorOf('Too many requests')),
  overloaded: json(503, errorOf('server busy, please try again. maximum pending requests exceeded')),
  overloadedMidway: sse({ error: { message: 'Provider is overloaded', type: 'overloaded_error', code: 502 } }),
  refuses: (problem) => json(400, errorOf(problem)),
  findFault(body) {
    const parsed = bodySchema.safeParse(body)
    return parsed.success ? findDisorder(parsed.data.messages) : z.prettifyError(parsed.error)
  },
  readHistory: (body) => bodySchema.parse(body).messages.flatMap(tell),
}

function errorOf(message: string): unknown {
  return { error: { message, type: 'api_error', param: null, code: null } }
}

/** As strict as the templates of local models: user and assistant alternate. */
function findDisorder(messages: readonly Message[]): string | undefined {
  let open: readonly string[] = []
  let speaker: string | undefined
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id)) return `tool_call_id ${message.tool_call_id} is not open`
      open = open.filter((id) => id !== message.tool_call_id)
      speaker = 'tool'
      continue
    }
    if (open.length > 0) return `tool_calls must be followed by tool messages: ${open.join()}`
    if (message.role === 'system') continue
    if (speaker === undefined && message.role !== 'user') return 'the conversation must begin with the user'
    if (speaker === message.role) return 'Conversation roles must alternate user/assistant/user/assistant/...'
    speaker = message.role
    if (message.role === 'assistant') {
      open = message.tool_calls?.map(({ id }) => id) ?? []
      if (message.content === null && open.length === 0) return 'an assistant message needs content or tool_calls'
    }
  }
  if (open.length > 0) return `tool_calls without results: ${open.join()}`
  return speaker === 'assistant' ? 'the last message must not be the assistant’s' : undefined
}

function tell(message: Message): readonly string[] {
  switch (message.role) {
    case 'system':
      return []
    case 'user':
      if (typeof message.content === 'string') return [`user: ${message.content}`]
      return message.content.map((part) =>
        part.type === 'text' ? `user: ${part.text}` : `user: image ${part.image_url.url.replace(/^data:.*,/, '')}`,
      )
    case 'tool':
      return [`result ${message.tool_call_id}: ${message.content}`]
    case 'assistant':
      return [
        ...(message.reasoning_content === undefined ? [] : [`thinking: ${message.reasoning_content}`]),
        ...(message.content === null ? [] : [`assistant: ${message.content}`]),
        ...(message.tool_calls ?? []).map(
          ({ id, function: called }) => `call ${id}: ${called.name} ${called.arguments}`,
        ),
      ]
  }
}

const FINISH_REASONS = { stop: 'stop', calls: 'tool_calls', length: 'length', refusal: 'content_filter' }

function toEvents({ blocks, finish, interleaved }: FakeAnswer): readonly string[] {
  let calls = 0
  const lists = blocks.map((block) => toDeltas(block, block.type === 'call' ? calls++ : 0).map((delta) => chunk(delta)))
  const usage = {
    prompt_tokens: USAGE.input,
    completion_tokens: USAGE.output,
    total_tokens: USAGE.input + USAGE.output,
  }
  return [
    chunk({ role: 'assistant', content: '' }),
    ...(interleaved === true ? inTurns(lists) : lists.flat()),
    chunk({}, FINISH_REASONS[finish]),
    sse({ ...ENVELOPE, choices: [], usage }),
    sse('[DONE]'),
  ]
}

function toDeltas(block: FakeBlock, index: number): readonly object[] {
  switch (block.type) {
    case 'text':
      return block.pieces.map((content) => ({ content }))
    case 'thinking':
      return block.pieces.map((reasoning_content) => ({ reasoning_content }))
    case 'call':
      return [
        { tool_calls: [{ index, id: block.id, type: 'function', function: { name: block.name, arguments: '' } }] },
        ...block.pieces.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]
  }
}

const ENVELOPE = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_750_000_000, model: 'm' }

function chunk(delta: object, finish_reason: string | null = null): string {
  return sse({ ...ENVELOPE, choices: [{ index: 0, delta, finish_reason }] })
}
