import type { Editor, SessionId } from '@polylogue/engine'
import type { EditorRegistry } from '../index.ts'

/** A registry that shows tests the editor of a session. */
export function openRegistry(allowed: Partial<Pick<EditorRegistry, 'allowsFiles' | 'allowsTerminals'>> = {}) {
  const registered: { readonly sessionId: SessionId; readonly editor: Editor }[] = []
  const registry: EditorRegistry = {
    allowsFiles: true,
    allowsTerminals: true,
    ...allowed,
    register(sessionId, editor) {
      const entry = { sessionId, editor }
      registered.push(entry)
      return () => {
        const at = registered.indexOf(entry)
        if (at !== -1) registered.splice(at, 1)
      }
    },
  }
  return {
    registry,
    registered,
    of: (sessionId: SessionId) => registered.findLast((entry) => entry.sessionId === sessionId)?.editor ?? {},
  }
}
