import { COUNTED_PART } from './mcp-limits.ts'

/**
 * Throws if more than `most` messages arrive within `windowMs`, so that one sender cannot keep the process busy. A message
 * counts once for each part of its size.
 */
export function createRateLimit(most: number, windowMs: number, now: () => number): (size: number) => void {
  let windowBegan = now()
  let count = 0
  return (size) => {
    const time = now()
    if (time - windowBegan >= windowMs) {
      windowBegan = time
      count = 0
    }
    count += Math.max(1, Math.ceil(size / COUNTED_PART))
    if (count > most)
      throw new Error(`it sent more than ${most} messages in ${windowMs / 1000} s that nobody had asked for`)
  }
}
