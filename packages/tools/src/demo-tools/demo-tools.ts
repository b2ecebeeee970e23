import type { Clock, Tool } from '@polylogue/engine'
import { createCurrentTime } from './current-time.ts'
import { createKeepNote } from './keep-note.ts'

/** Two small tools for the built-in guide: one that only reads, and one that changes something and therefore asks. */
export function createDemoTools(parts: { readonly clock: Clock; readonly notesDir: string }): readonly Tool[] {
  return [createCurrentTime(parts), createKeepNote(parts)]
}
