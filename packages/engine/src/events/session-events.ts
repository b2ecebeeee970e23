import { z } from 'zod'
import { conversationMessage } from '../content.ts'
import { type Stored, entryId, sessionId, userId } from '../stored-schema.ts'
import { defineEvent } from './define-event.ts'
import { sessionSettings, settingsChange } from './session-settings.ts'

export const sessionCreated = defineEvent('session.created', {
  sessionId,
  userId,
  agent: z.string(),
  settings: sessionSettings,
})

export const sessionSeeded = defineEvent('session.seeded', { entryId, messages: z.array(conversationMessage) })

export const sessionConfigured = defineEvent('session.configured', { settings: settingsChange })

export type SessionCreated = Stored<typeof sessionCreated>
export type SessionSeeded = Stored<typeof sessionSeeded>
export type SessionConfigured = Stored<typeof sessionConfigured>
