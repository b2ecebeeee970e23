import { z } from 'zod'
import { sessionSettings } from '../events/session-settings.ts'
import { turnOutcome } from '../events/turn-events.ts'
import { type Stored, sessionId, toolCallId, turnId, userId } from '../stored-schema.ts'

/**
 * A session as doors and lists show it: its settings and its current activity. Lists store it as JSON, so a new field
 * needs a default for older rows.
 */
export const sessionView = z.object({
  sessionId,
  userId,
  agent: z.string(),
  ...sessionSettings.omit({ secretOptions: true }).shape,
  /** Set if the session was forked: its parent, and the parent's last turn that it contains. */
  origin: z.object({ ancestors: z.array(sessionId), turnId: turnId.optional() }).optional(),
  /** The name of the door that created it. Absent: unknown. */
  via: z.string().optional(),
  /** The sessions that were forked from this one, oldest first, each with the last turn that it contains. */
  forks: z.array(z.object({ sessionId, turnId: turnId.optional() })).default([]),
  /** The number of queued inputs. */
  queued: z.number().default(0),
  /** The turn that is running or waiting. */
  turnId: turnId.optional(),
  status: z.enum(['idle', 'running', 'waiting']),
  lastOutcome: turnOutcome.optional(),
  /** Calls that wait for a client or a person. */
  waitingCalls: z.array(toolCallId),
  /** What the user allowed for the whole session: names of tools, or what an approval said that it covers. */
  overrides: z.array(z.string()).default([]),
  /** The seq of the last recorded event. */
  lastSeq: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
})

export type SessionView = Stored<typeof sessionView>
