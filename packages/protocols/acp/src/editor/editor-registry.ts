import type { Editor, SessionId } from '@polylogue/engine'

/** Tools find the editor of a session here. */
export interface EditorRegistry {
  /** Whether tools may use the files of editors. */
  readonly allowsFiles: boolean
  readonly allowsTerminals: boolean
  /** The latest editor of a session is used. Returns a function that unregisters it; calling it twice is harmless. */
  register(sessionId: SessionId, editor: Editor): () => void
}
