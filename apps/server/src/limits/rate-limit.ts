import type { Clock } from '@polylogue/engine'

const MAX_NAMES = 10_000
const MINUTE_MS = 60_000

/** A token bucket for each name: a minute's worth at once, then as fast as it fills again. */
export interface RateLimit {
  /** Takes one. Seconds until there is one to take; 0 = taken. */
  take(name: string): number
  /** Takes what was taken elsewhere, even if there is less. */
  charge(name: string, count: number): void
}

export function createRateLimit(perMinute: number, clock: Clock): RateLimit {
  const buckets = new Map<string, { tokens: number; filledAt: number }>()
  const perMs = perMinute / MINUTE_MS
  const fill = (name: string): { tokens: number } => {
    const now = clock.now()
    const bucket = buckets.get(name) ?? { tokens: perMinute, filledAt: now }
    // A clock that was set back must not empty the bucket.
    const elapsedMs = Math.max(0, now - bucket.filledAt)
    bucket.tokens = Math.min(perMinute, bucket.tokens + elapsedMs * perMs)
    bucket.filledAt = now
    if (!buckets.has(name)) {
      buckets.set(name, bucket)
      const [oldest] = buckets.keys()
      if (buckets.size > MAX_NAMES && oldest !== undefined) buckets.delete(oldest)
    }
    return bucket
  }
  return {
    charge(name, count) {
      const bucket = fill(name)
      bucket.tokens = Math.max(-perMinute, bucket.tokens - count)
    },
    take(name) {
      const bucket = fill(name)
      if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perMs / 1000))
      bucket.tokens -= 1
      return 0
    },
  }
}
