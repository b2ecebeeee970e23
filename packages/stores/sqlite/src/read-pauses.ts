/** A page of this size takes about a millisecond. */
const MODERATE = 32 * 1024
/** Pages of at least this size go on one after the other, each in its own turn of the event loop. */
const LARGE = 256 * 1024
/** What smaller pages may hold together in one turn of the event loop. */
const PER_TURN = 512 * 1024

interface Waiting {
  readonly size: number
  goOn(): void
}

/**
 * Reads are synchronous, so a caller that reads a long log page by page would never let others in. Returns what to wait for
 * after a page was read; `undefined` if it was small. Readers of moderate pages do not wait for readers of large ones.
 */
export function createReadPauses(): (size: number) => Promise<void> | undefined {
  const moderate: Waiting[] = []
  const large: Waiting[] = []
  let isScheduled = false

  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(letOn)
  }

  const letOn = (): void => {
    isScheduled = false
    for (let room = PER_TURN; room > 0;) {
      const next = moderate.shift()
      if (next === undefined) break
      room -= next.size
      next.goOn()
    }
    large.shift()?.goOn()
    if (moderate.length + large.length > 0) schedule()
  }

  return (size) => {
    if (size < MODERATE) return undefined
    const { promise, resolve } = Promise.withResolvers<void>()
    const line = size < LARGE ? moderate : large
    line.push({ size, goOn: resolve })
    schedule()
    return promise
  }
}
