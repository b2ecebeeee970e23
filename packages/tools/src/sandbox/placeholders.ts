// Bubblewrap can only cover what exists. Where a configuration could be put that the server reads at its next start, an
// empty folder takes its place while commands run that could write there. Each one is noted in a file before it is made,
// so that a server that starts after a crash removes it.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, rmSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Placeholders {
  /** Makes the folder unless something is there. Returns whether it is ours to give back. */
  take(path: string): boolean
  /** Removes the folder when nobody needs it any more and it is empty. */
  giveBack(path: string): void
}

/** `stateDir`: where the notes are kept. */
export function createPlaceholders(stateDir: string): Placeholders {
  const holders = new Map<string, number>()
  return {
    take(path) {
      const count = holders.get(path) ?? 0
      if (count === 0 && !make(path, stateDir)) return false
      holders.set(path, count + 1)
      return true
    },
    giveBack(path) {
      const count = (holders.get(path) ?? 0) - 1
      if (count > 0) {
        holders.set(path, count)
        return
      }
      holders.delete(path)
      remove(path, noteOf(stateDir, path))
    },
  }
}

/** Removes the folders that a former server left behind. Call it once at start, after its commands were ended. */
export function sweepPlaceholders(stateDir: string): number {
  const notes = listNotes(stateDir)
  for (const note of notes) remove(readFileSync(note, 'utf8'), note)
  return notes.length
}

function make(path: string, stateDir: string): boolean {
  const note = noteOf(stateDir, path)
  mkdirSync(folderOf(stateDir), { recursive: true, mode: 0o700 })
  writeFileSync(note, path, { mode: 0o600 })
  let isMade = false
  ignoreSystemErrors(() => {
    mkdirSync(path, { mode: 0o755 })
    isMade = true
  })
  if (!isMade) rmSync(note, { force: true })
  return isMade
}

function remove(path: string, note: string): void {
  ignoreSystemErrors(() => rmdirSync(path))
  rmSync(note, { force: true })
}

const folderOf = (stateDir: string): string => join(stateDir, 'placeholders')

const noteOf = (stateDir: string, path: string): string =>
  join(folderOf(stateDir), createHash('sha256').update(path).digest('hex'))

function listNotes(stateDir: string): readonly string[] {
  let names: readonly string[] = []
  ignoreSystemErrors(() => (names = readdirSync(folderOf(stateDir))))
  return names.map((name) => join(folderOf(stateDir), name))
}

/** Something is there by now, or the folder may not be changed: then it stays as it is. */
function ignoreSystemErrors(act: () => void): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}
