import type { UserId } from '../ids.ts'

/**
 * The subscriptions of clients on long-lived connections. A client that reconnects gets them back, even after the
 * server was killed. A door writes an entry whenever a subscription changes, not only when a connection ends.
 */
export interface KeptStore {
  /**
   * Stores the entry, or replaces the one with the same hash and user. Removes expired entries, and the oldest entries
   * of the user beyond `KEPT_LIMITS.perUser`. An entry of another user with the same hash stays as it is.
   */
  keep(entry: KeptEntry): Promise<void>
  /**
   * Removes the entry and returns it. Returns `undefined` if the entry is unknown, expired or belongs to another user.
   * Contract: when several callers race for one entry, at most one of them gets it.
   */
  take(userId: UserId, hash: string): Promise<KeptEntry | undefined>
}

export interface KeptEntry {
  /** SHA-256 of the secret that identifies the client's connection. */
  readonly hash: string
  readonly userId: UserId
  /** Written and read only by the door. At most `KEPT_LIMITS.content` UTF-16 units. */
  readonly content: string
  /** The entry expires at this time. */
  readonly expiresAt: number
}

export const KEPT_LIMITS = { perUser: 1_000, content: 65_536 } as const
