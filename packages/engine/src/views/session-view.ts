import { z } from 'zod'
import { clientTool, labels, preset, toolAccess } from '../events/session-events.ts'
import { turnOutcome } from '../events/turn-events.ts'
import { type Stored, names, sessionId, texts, toolCallId, turnId, userId } from '../stored-schema.ts'

/** A session as doors and lists show it. Lists store it as JSON: a new field needs a default for older rows. */
export const sessionView = z.object({
  sessionId,
  userId,
  agent: z.string(),
  access: toolAccess,
  clientTools: z.array(clientTool),
  /** As clients set them. Secrets read `***`. */
  options: texts,
  preset,
  /** As it was given, otherwise the first user text, at most 60 characters. */
  title: z.string().optional(),
  role: z.string().optional(),
  /** `provider/model`, if the session has a model of its own. */
  model: z.string().optional(),
  directories: names.default([]),
  disabledTools: names.default([]),
  recallsMemories: z.boolean().default(true),
  isPinned: z.boolean().default(false),
  isShared: z.boolean().default(false),
  labels: labels.default({}),
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
