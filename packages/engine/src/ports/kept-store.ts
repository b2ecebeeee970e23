import type { UserId } from '../ids.ts'

/**
 * What the clients of long-lived connections had subscribed to, so that a client that reconnects hears it again, even
 * after the server was killed. A door writes an entry when a subscription changes, not only when a connection ends.
 */
export interface KeptStore {
  /**
   * Stores the entry, or replaces the one with the same hash and user. Removes expired entries, and the oldest entries
   * of the user beyond `KEPT_LIMITS.perUser`. An entry of another user with the same hash stays as it is.
   */
  keep(entry: KeptEntry): Promise<void>
  /**
   * Removes the entry and returns it; `undefined` when it is unknown, expired or another user's.
   * Contract: when several callers race for one entry, at most one of them gets it.
   */
  take(userId: UserId, hash: string): Promise<KeptEntry | undefined>
}

export interface KeptEntry {
  /** SHA-256 of the secret by which the client names its connection. */
  readonly hash: string
  readonly userId: UserId
  /** Text that the door wrote and only the door reads. At most `KEPT_LIMITS.content` UTF-16 units. */
  readonly content: string
  /** The entry can be taken before this time. */
  readonly expiresAt: number
}

export const KEPT_LIMITS = { perUser: 1_000, content: 65_536 } as const
