import type { Clock, KeyRecord } from '@polylogue/engine'

/** Another process may revoke a key, or somebody with the database in hand: it opens nothing after this time. */
const TRUSTED_MS = 30_000
const MOST_KEYS = 1_000

/** The keys that were shown lately, by hash: to look one up costs more than everything else that lets a request in. */
export interface KnownKeys {
  /** `isFresh`: it need not be read again. `ageMs`: since it was read. */
  find(hash: string): { readonly record: KeyRecord; readonly isFresh: boolean; readonly ageMs: number } | undefined
  remember(hash: string, record: KeyRecord): void
  forget(hash: string): void
  forgetKey(id: string): void
}

export function createKnownKeys(clock: Clock, trustedMs = TRUSTED_MS): KnownKeys {
  const known = new Map<string, { readonly record: KeyRecord; readonly readAt: number }>()
  return {
    find(hash) {
      const key = known.get(hash)
      if (key === undefined) return undefined
      const sinceMs = clock.now() - key.readAt
      // A clock that was set back must not make a key live longer.
      const ageMs = sinceMs < 0 ? Number.POSITIVE_INFINITY : sinceMs
      return { record: key.record, isFresh: ageMs < trustedMs, ageMs }
    },
    remember(hash, record) {
      known.delete(hash)
      known.set(hash, { record, readAt: clock.now() })
      const [oldest] = known.keys()
      if (known.size > MOST_KEYS && oldest !== undefined) known.delete(oldest)
    },
    forget: (hash) => void known.delete(hash),
    forgetKey(id) {
      for (const [hash, { record }] of known) if (record.id === id) known.delete(hash)
    },
  }
}
