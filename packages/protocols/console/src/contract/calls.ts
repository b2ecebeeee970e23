import { z } from 'zod'
import { time } from './fields.ts'
import { defineOperations, type Sent } from './operation.ts'
import { fileDiff } from './waiting.ts'

const recordedCall = z
  .object({
    toolCallId: z.string(),
    turnId: z.string(),
    name: z.string(),
    input: z.unknown(),
    /** What the tool said about the call, such as the paths that it touches. */
    facts: z.unknown().optional(),
    /** What the call does to files, as it was found out before the call ran. */
    diffs: z.array(fileDiff),
    /** The last request for approval. */
    requested: z
      .object({ at: time, callHash: z.string(), reason: z.string().optional(), covers: z.string().optional() })
      .optional(),
    /** The last answer to it. */
    resolved: z
      .object({
        at: time,
        granted: z.boolean(),
        reason: z.string().optional(),
        scope: z.enum(['once', 'session']).optional(),
        /** The door that the answer came through. */
        via: z.string().optional(),
      })
      .optional(),
    /** When it began to run. */
    startedAt: time.optional(),
    settled: z
      .object({
        at: time,
        status: z.enum(['completed', 'failed', 'denied', 'cancelled', 'unknown']),
        by: z.enum(['tool', 'client', 'engine']),
        durationMs: z.number().optional(),
        via: z.string().optional(),
      })
      .optional(),
  })
  .meta({ id: 'ConsoleCall' })
export type RecordedCall = Sent<z.infer<typeof recordedCall>>

export const callOperations = defineOperations({
  readCall: {
    method: 'GET',
    path: '/sessions/{id}/calls/{call}',
    tag: 'sessions',
    summary: 'Read what is recorded about a tool call: its input, its approval and how it ended.',
    status: 200,
    isLarge: true,
    answer: recordedCall,
    refusals: { 404: 'the session has no such call' },
  },
})
