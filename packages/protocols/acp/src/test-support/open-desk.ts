import type { SessionId } from '@polylogue/engine'
import type { EditorDesk, EditorOffers } from '../index.ts'

/** A desk where tests look for the editor of a session, and at who came and went. */
export function openDesk(allowed: Partial<Pick<EditorDesk, 'allowsFiles' | 'allowsTerminals'>> = {}) {
  const registered: { readonly sessionId: SessionId; readonly offers: EditorOffers }[] = []
  const desk: EditorDesk = {
    allowsFiles: true,
    allowsTerminals: true,
    ...allowed,
    register(sessionId, offers) {
      const entry = { sessionId, offers }
      registered.push(entry)
      return () => {
        const at = registered.indexOf(entry)
        if (at !== -1) registered.splice(at, 1)
      }
    },
  }
  return {
    desk,
    registered,
    of: (sessionId: SessionId) => registered.findLast((entry) => entry.sessionId === sessionId)?.offers ?? {},
  }
}
