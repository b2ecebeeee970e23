import { z } from 'zod'
import { agentName } from './fields.ts'
import { defineOperations, type Sent } from './operation.ts'

const importedPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), text: z.string() }),
  z.object({
    type: z.literal('tool-call'),
    toolCallId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    name: z.string().min(1).max(200),
    input: z.record(z.string(), z.json()),
  }),
])
export type ImportedPart = Sent<z.input<typeof importedPart>>

const importedMessage = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), content: z.string() }),
  z.object({ role: z.literal('assistant'), content: z.array(importedPart) }),
  z.object({ role: z.literal('tool'), toolCallId: z.string(), content: z.string() }),
])
export type ImportedMessage = Sent<z.input<typeof importedMessage>>

/** On the owner socket only, because a session can be put into any directory. */
export const ownerOperations = defineOperations({
  importSession: {
    method: 'POST',
    path: '/import',
    tag: 'sessions',
    summary: 'Make a session of a conversation that took place elsewhere.',
    status: 201,
    bodySize: 'conversation',
    body: z.object({
      agent: agentName.optional(),
      /** Absolute. */
      directory: z.string().max(4096).optional(),
      title: z.string().min(1).max(200).optional(),
      messages: z.array(importedMessage).max(100_000),
    }),
    answer: z.object({ sessionId: z.string() }),
  },
})
