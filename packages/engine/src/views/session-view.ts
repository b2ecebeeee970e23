import { z } from 'zod'
import { sessionSettings } from '../events/session-settings.ts'
import { turnOutcome } from '../events/turn-events.ts'
import { type Stored, sessionId, toolCallId, turnId, userId } from '../stored-schema.ts'

/**
 * A session as doors and lists show it: its settings, and what it is doing. Lists store it as JSON, so a new field needs
 * a default for older rows.
 */
export const sessionView = z.object({
  sessionId,
  userId,
  agent: z.string(),
  ...sessionSettings.omit({ secretOptions: true }).shape,
  /** How many inputs wait for their turn. */
  queued: z.number().default(0),
  /** The turn that is running or waiting. */
  turnId: turnId.optional(),
  status: z.enum(['idle', 'running', 'waiting']),
  lastOutcome: turnOutcome.optional(),
  /** Calls that wait for a client or a person. */
  waitingCalls: z.array(toolCallId),
  /** The last recorded event. */
  lastSeq: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
})

export type SessionView = Stored<typeof sessionView>
