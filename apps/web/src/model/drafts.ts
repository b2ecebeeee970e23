/** What was typed and not sent, per session; `new` for a session that does not exist yet. Survives reload and sign-out. */
import { storage } from './storage.ts'

const PREFIX = 'polylogue.draft.'

export const readDraft = (sessionId: string): string => storage.getItem(PREFIX + sessionId) ?? ''

export function keepDraft(sessionId: string, text: string): void {
  if (text === '') storage.removeItem(PREFIX + sessionId)
  else storage.setItem(PREFIX + sessionId, text)
}
