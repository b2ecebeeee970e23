import type { Clock } from '@polylogue/engine'

const MAX_NAMES = 10_000
const MINUTE_MS = 60_000

/** A token bucket for each name: a minute's worth at once, then as fast as it fills again. */
export interface RateLimit {
  /** Takes one. Seconds until there is one to take; 0 = taken. */
  take(name: string): number
}

export function createRateLimit(perMinute: number, clock: Clock): RateLimit {
  const buckets = new Map<string, { tokens: number; filledAt: number }>()
  const perMs = perMinute / MINUTE_MS
  return {
    take(name) {
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
      if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perMs / 1000))
      bucket.tokens -= 1
      return 0
    },
  }
}
