// Bubblewrap can only cover what exists. Where a configuration could be put that the server reads at its next start, an
// empty folder takes its place while commands run that could write there.
import { mkdirSync, rmdirSync } from 'node:fs'

export interface Placeholders {
  /** Makes the folder unless something is there. Answers whether it is ours to give back. */
  take(path: string): boolean
  /** Removes the folder when nobody needs it any more and it is empty. */
  giveBack(path: string): void
}

export function createPlaceholders(): Placeholders {
  const holders = new Map<string, number>()
  return {
    take(path) {
      const count = holders.get(path) ?? 0
      if (count === 0 && !make(path)) return false
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
      ignoreSystemErrors(() => rmdirSync(path))
    },
  }
}

function make(path: string): boolean {
  let isMade = false
  ignoreSystemErrors(() => {
    mkdirSync(path, { mode: 0o755 })
    isMade = true
  })
  return isMade
}

/** Something is there by now, or the folder may not be changed: then it stays as it is. */
function ignoreSystemErrors(act: () => void): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}
