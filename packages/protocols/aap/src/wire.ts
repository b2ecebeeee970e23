// What both versions of AAP write, as the published schemas have it. Types are inferred from these schemas, which the
// client also reads with: unknown fields are ignored. What clients send is in `requests.ts`.
import type { JsonObject } from '@polylogue/kit/client'
import { z } from 'zod'

/** The type of a wire value: immutable at every depth. */
type Wire<Schema extends z.ZodType> = Immutable<z.output<Schema>>
type Immutable<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Immutable<Item>[]
    : JsonObject extends T
      ? T
      : { readonly [Key in keyof T]: Immutable<T[Key]> }

export type AapVersion = 1 | 3

export const STREAM_MODES = ['delta', 'message', 'none'] as const
export type StreamMode = (typeof STREAM_MODES)[number]

export const HISTORY_TYPES = ['compacted', 'full'] as const
export type HistoryType = (typeof HISTORY_TYPES)[number]

export const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected object',
)

// Two ids that differ only in halves of characters would be one id in the store, which keeps UTF-8.
export const toolCallId = z
  .string()
  .min(1)
  .refine((id) => id.isWellFormed(), 'expected whole characters, received half of one')

export const textBlock = z.object({ type: z.literal('text'), text: z.string() })
export const thinkingBlock = z.object({ type: z.literal('thinking'), thinking: z.string() })
export const imageBlock = z.object({ type: z.literal('image'), url: z.string() })
const toolCall = { toolCallId, name: z.string(), input: jsonObject }
export const toolUseBlock = z.object({ type: z.literal('tool_use'), ...toolCall })

const block = z.discriminatedUnion('type', [textBlock, thinkingBlock, toolUseBlock, imageBlock])
const content = z.union([z.string(), z.array(block)])
export const message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content }),
  z.object({ role: z.literal('assistant'), content }),
  z.object({ role: z.literal('tool'), toolCallId, content }),
])

/** Sent by clients only, and never part of a history. */
export const toolPermission = z.object({
  role: z.literal('tool_permission'),
  toolCallId,
  granted: z.boolean(),
  reason: z.string().optional(),
})

/** Read as `error` if a server has another one. */
const stopReason = z.enum(['end_turn', 'tool_use', 'max_tokens', 'refusal', 'error']).catch('error')

/** `cancelled` and `error` are ours; clients that do not know them ignore them. */
const turnStop = {
  stopReason,
  cancelled: z.literal(true).optional(),
  error: z.object({ message: z.string() }).optional(),
}

export const wireEvent = z.discriminatedUnion('event', [
  z.object({ event: z.literal('session_start'), sessionId: z.string() }),
  z.object({ event: z.literal('turn_start') }),
  z.object({ event: z.literal('text_delta'), delta: z.string() }),
  z.object({ event: z.literal('thinking_delta'), delta: z.string() }),
  z.object({ event: z.literal('text'), text: z.string() }),
  z.object({ event: z.literal('thinking'), thinking: z.string() }),
  z.object({ event: z.literal('tool_call'), ...toolCall }),
  z.object({ event: z.literal('tool_result'), toolCallId, content }),
  z.object({ event: z.literal('turn_stop'), ...turnStop }),
  z.object({ event: z.literal('resync') }),
])

export const wireTurnResponse = z.object({
  ...turnStop,
  sessionId: z.string().optional(),
  messages: z.array(message),
})

/** The schema of the arguments is `parameters` in version 3 and `inputSchema` in version 1. */
const toolHead = { name: z.string(), title: z.string().optional(), description: z.string() }
export const toolSpec = z.union([
  z.object({ ...toolHead, parameters: jsonObject }),
  z.object({ ...toolHead, inputSchema: jsonObject }),
])

export const agentConfig = z.object({
  name: z.string(),
  tools: z.array(z.object({ name: z.string(), trust: z.boolean().optional() })).optional(),
  options: z.record(z.string(), z.string()).optional(),
})
export const session = z.object({ sessionId: z.string(), agent: agentConfig, tools: z.array(toolSpec).optional() })
export const history = z.object({ compacted: z.array(message), full: z.array(message) }).partial()

const agentOption = z.object({
  type: z.enum(['text', 'secret', 'select']),
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  options: z.array(z.string()).optional(),
  default: z.string(),
})

/** Being there means supported. */
const supported = z.custom<Record<string, never>>((value) => typeof value === 'object' && value !== null)
const capabilities = z.object({
  history: z.object({ compacted: supported, full: supported }).partial().optional(),
  stream: z.object({ delta: supported, message: supported, none: supported }).partial().optional(),
  application: z.object({ tools: supported }).partial().optional(),
  image: z.object({ http: supported, data: supported }).partial().optional(),
})
export const wireAgent = z.object({
  name: z.string(),
  title: z.string().optional(),
  version: z.string(),
  description: z.string().optional(),
  tools: z.array(toolSpec).optional(),
  options: z.array(agentOption).optional(),
  capabilities: capabilities.optional(),
})
export const wireMeta = z.object({ version: z.literal([1, 3]), agents: z.array(wireAgent) })

export type StopReason = z.output<typeof stopReason>
export type WireBlock = Wire<typeof block>
export type WireContent = Wire<typeof content>
export type WireMessage = Wire<typeof message>
export type WirePermission = Wire<typeof toolPermission>
export type WireEvent = Wire<typeof wireEvent>
export type TurnStop = Pick<WireTurnResponse, 'stopReason' | 'cancelled' | 'error'>
export type WireTurnResponse = Wire<typeof wireTurnResponse>
export type WireToolSpec = Wire<typeof toolSpec>
export type WireAgentConfig = Wire<typeof agentConfig>
export type WireSession = Wire<typeof session>
export type WireHistory = Wire<typeof history>
export type WireAgentOption = Wire<typeof agentOption>
export type WireCapabilities = Wire<typeof capabilities>
export type WireAgent = Wire<typeof wireAgent>
export type WireMeta = Wire<typeof wireMeta>
