import { z } from 'zod'
import { conversationMessage } from '../content.ts'
import { type Stored, entryId, sessionId, turnId, userId } from '../stored-schema.ts'
import { defineEvent } from './define-event.ts'
import { sessionSettings, settingsChange } from './session-settings.ts'

/** What a forked session was copied from. The events after `session.created` up to `throughSeq` are copies. */
const sessionOrigin = z.object({
  /** The sessions that it descends from, the oldest first and the parent last. They may be deleted by now. */
  ancestors: z.array(sessionId),
  /** The turn of the parent after which it was forked. Absent if the parent had no finished turn. */
  turnId: turnId.optional(),
  throughSeq: z.number(),
})

export const sessionCreated = defineEvent('session.created', {
  sessionId,
  userId,
  agent: z.string(),
  settings: sessionSettings,
  origin: sessionOrigin.optional(),
  /** The name of the door that it came through. Absent in logs of earlier versions. */
  via: z.string().optional(),
})

export const sessionSeeded = defineEvent('session.seeded', { entryId, messages: z.array(conversationMessage) })

export const sessionConfigured = defineEvent('session.configured', {
  settings: settingsChange,
  /** What the user allowed for the whole session is asked again. */
  forgetsOverrides: z.literal(true).optional(),
})

/** Another session was created from a copy of this one. `turnId`: the last copied turn. */
export const sessionForked = defineEvent('session.forked', { childId: sessionId, turnId: turnId.optional() })

/** A session that was forked from this one was deleted. */
export const sessionForkDeleted = defineEvent('session.fork-deleted', { childId: sessionId })

export type SessionOrigin = Stored<typeof sessionOrigin>
export type SessionCreated = Stored<typeof sessionCreated>
export type SessionSeeded = Stored<typeof sessionSeeded>
export type SessionConfigured = Stored<typeof sessionConfigured>
