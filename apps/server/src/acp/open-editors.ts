import type { Editor, EditorOf, SessionId } from '@polylogue/engine'

/** Which editors have which sessions open, for tools that use the editor's files and terminals. */
export interface OpenEditors {
  /** The newest editor of a session. */
  readonly editorOf: EditorOf
  /** Returns how to unregister; calling that twice is harmless. */
  register(sessionId: SessionId, editor: Editor): () => void
}

export function createOpenEditors(): OpenEditors {
  const editors = new Map<SessionId, readonly { readonly editor: Editor }[]>()
  return {
    editorOf: (sessionId) => editors.get(sessionId)?.at(-1)?.editor,
    register(sessionId, editor) {
      const mine = { editor }
      editors.set(sessionId, [...(editors.get(sessionId) ?? []), mine])
      return () => {
        const others = (editors.get(sessionId) ?? []).filter((one) => one !== mine)
        if (others.length > 0) editors.set(sessionId, others)
        else editors.delete(sessionId)
      }
    },
  }
}
