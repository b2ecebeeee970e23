// What the owner answers, as far as the verbs read it. Unknown fields are passed over.
import { z } from 'zod'

export const refusalBody = z.object({ error: z.string() })

const contentBlock = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), thinking: z.string() }),
  z.object({ type: z.literal('tool_use'), toolCallId: z.string(), name: z.string(), input: z.unknown() }),
  z.object({ type: z.literal('image'), url: z.string() }),
])
const content = z.union([z.string(), z.array(contentBlock)])
export type Content = z.infer<typeof content>

const message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content }),
  z.object({ role: z.literal('assistant'), content }),
  z.object({ role: z.literal('tool'), toolCallId: z.string(), content }),
])
export type Message = z.infer<typeof message>

const agent = z.object({
  name: z.string(),
  capabilities: z
    .object({
      history: z.record(z.string(), z.unknown()).default({}),
      stream: z.record(z.string(), z.unknown()).default({}),
    })
    .partial()
    .default({}),
})
export type Agent = z.infer<typeof agent>

export const meta = z.object({ version: z.literal(3), agents: z.array(agent) })
export const createdSession = z.object({ sessionId: z.string() })
/** The tools of the client that a session belongs to. */
export const sessionTools = z.object({ tools: z.array(z.object({ name: z.string() })).default([]) })

export const serverStatus = z.object({ defaultAgent: z.string() })

const session = z.looseObject({
  sessionId: z.string(),
  title: z.string().optional(),
  status: z.enum(['idle', 'running', 'waiting']),
  agent: z.string(),
  model: z.string().optional(),
  lastOutcome: z.string().optional(),
  waitingCalls: z.array(z.string()),
  createdAt: z.number(),
  updatedAt: z.number(),
})
export type Session = z.infer<typeof session>
export const sessionPage = z.object({ sessions: z.array(session), next: z.string().optional() })

const part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), text: z.string() }),
  z.object({ type: z.literal('tool-call'), toolCallId: z.string(), name: z.string(), input: z.unknown() }),
  z.looseObject({ type: z.literal('image') }),
])
const entry = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  toolCallId: z.string().optional(),
  content: z.union([z.string(), z.array(part)]),
})
/** A message of a session's record, in our own words. */
export type Entry = z.infer<typeof entry>
export type Part = z.infer<typeof part>
export const sessionRecord = z.looseObject({ session, messages: z.array(entry), events: z.number() })
export type SessionRecord = z.infer<typeof sessionRecord>

const key = z.looseObject({
  id: z.string(),
  user: z.string(),
  kind: z.string(),
  name: z.string(),
  prefix: z.string(),
  lastFour: z.string(),
  createdAt: z.number(),
  lastUsedAt: z.number().optional(),
  expiresAt: z.number().optional(),
})
export type Key = z.infer<typeof key>
export const keyList = z.object({ keys: z.array(key) })
export const createdKey = key.extend({ key: z.string() })

/** One event of a turn's stream. */
export const turnEvent = z.discriminatedUnion('event', [
  z.object({ event: z.literal('turn_start') }),
  z.object({ event: z.literal('text_delta'), delta: z.string() }),
  z.object({ event: z.literal('thinking_delta'), delta: z.string() }),
  z.object({ event: z.literal('text'), text: z.string() }),
  z.object({ event: z.literal('thinking'), thinking: z.string() }),
  z.object({ event: z.literal('tool_call'), toolCallId: z.string(), name: z.string(), input: z.unknown() }),
  z.object({ event: z.literal('tool_result'), toolCallId: z.string(), content }),
  z.object({ event: z.literal('resync') }),
  z.object({
    event: z.literal('turn_stop'),
    stopReason: z.string(),
    cancelled: z.boolean().optional(),
    error: z.object({ message: z.string() }).optional(),
  }),
])
export type TurnEvent = z.infer<typeof turnEvent>
export type TurnStop = Extract<TurnEvent, { event: 'turn_stop' }>

export const turnAnswer = z.object({
  stopReason: z.string(),
  messages: z.array(message),
  cancelled: z.boolean().optional(),
  error: z.object({ message: z.string() }).optional(),
})
export type TurnAnswer = z.infer<typeof turnAnswer>

export function textOf(value: Content): string {
  if (typeof value === 'string') return value
  return value.map((block) => (block.type === 'text' ? block.text : block.type === 'image' ? '[image]' : '')).join('')
}
