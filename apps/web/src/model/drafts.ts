/** What was typed and not sent, per session; `new` for a session that does not exist yet. Survives reload and sign-out. */
const PREFIX = 'polylogue.draft.'

export const readDraft = (sessionId: string): string => localStorage.getItem(PREFIX + sessionId) ?? ''

export function keepDraft(sessionId: string, text: string): void {
  if (text === '') localStorage.removeItem(PREFIX + sessionId)
  else localStorage.setItem(PREFIX + sessionId, text)
}
