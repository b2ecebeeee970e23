/**
 * Throws if more than `most` events arrive within `windowMs`, so that one sender cannot keep the process busy.
 */
export function createRateLimit(most: number, windowMs: number, now: () => number): () => void {
  let windowBegan = now()
  let count = 0
  return () => {
    const time = now()
    if (time - windowBegan >= windowMs) {
      windowBegan = time
      count = 0
    }
    count += 1
    if (count > most)
      throw new Error(`it sent more than ${most} messages in ${windowMs / 1000} s that nobody had asked for`)
  }
}
