// Bubblewrap can only cover paths that exist. A command could create a configuration file that the server reads at its
// next start, so an empty folder takes that path while such commands run. Each folder is noted in a file before it is
// created, so that the next server can remove it after a crash.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, rmSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Placeholders {
  /** Whether a running command needs the folder. Another one that covers it must take it too. */
  isHeld(path: string): boolean
  /** Creates the folder unless the path exists. Returns whether the caller must release it. */
  take(path: string): boolean
  /** Removes the folder when it is empty and no longer needed. */
  giveBack(path: string): void
}

/** Notes are kept in `stateDir`. */
export function createPlaceholders(stateDir: string): Placeholders {
  const holders = new Map<string, number>()
  return {
    isHeld: (path) => holders.has(path),
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

/** Removes the folders that a previous server left behind. Call it once at start, after its commands have ended. */
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

/** Keeps the folder if it is no longer empty or cannot be changed. */
function ignoreSystemErrors(act: () => void): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}
