// What a client reads of AAP version 3. Unknown fields are ignored.
import { z } from 'zod'

const contentBlock = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), thinking: z.string() }),
  z.object({ type: z.literal('tool_use'), toolCallId: z.string(), name: z.string(), input: z.unknown() }),
  z.object({ type: z.literal('image'), url: z.string() }),
])
const content = z.union([z.string(), z.array(contentBlock)])
export type WireContent = z.infer<typeof content>

const message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content }),
  z.object({ role: z.literal('assistant'), content }),
  z.object({ role: z.literal('tool'), toolCallId: z.string(), content }),
])
export type WireMessage = z.infer<typeof message>

export const wireMeta = z.object({
  version: z.literal(3),
  agents: z.array(
    z.object({
      name: z.string(),
      capabilities: z
        .object({ stream: z.record(z.string(), z.unknown()).default({}) })
        .partial()
        .default({}),
    }),
  ),
})

/** One event of a turn's stream. */
export const wireEvent = z.discriminatedUnion('event', [
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
export type WireEvent = z.infer<typeof wireEvent>

export const wireAnswer = z.object({
  stopReason: z.string(),
  messages: z.array(message),
  cancelled: z.boolean().optional(),
  error: z.object({ message: z.string() }).optional(),
})
export type WireAnswer = z.infer<typeof wireAnswer>
