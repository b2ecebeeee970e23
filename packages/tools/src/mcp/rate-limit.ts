/**
 * Throws once more than `most` events came within a window of `windowMs`: whoever sends so many unasked would keep the
 * server from everybody else's work.
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
