/** A page of this size takes about a millisecond. */
const MODERATE = 32 * 1024
/** Pages of this size take their turns one after the other. */
const LARGE = 1024 * 1024

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/**
 * Reads are synchronous, so a caller that reads a long log page by page would never let others in. Returns what to wait for
 * after a page was read; `undefined` if it was small.
 */
export function createReadPauses(): (size: number) => Promise<void> | undefined {
  let line = Promise.resolve()
  return (size) => {
    if (size < MODERATE) return undefined
    if (size < LARGE) return nextTurn()
    line = line.then(nextTurn)
    return line
  }
}
