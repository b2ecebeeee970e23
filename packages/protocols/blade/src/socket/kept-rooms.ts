/** How long a client may be away and still find its rooms, in milliseconds. */
export const AWAY_MS = 2 * 60_000
/** Of the newest. */
const MOST_KEPT = 20_000

export interface KeptSubscriptions {
  readonly userId: string
  readonly isLean: boolean
  /** The seq up to which the client is known to have each session. */
  readonly sessions: ReadonlyMap<string, number>
}

interface Kept extends KeptSubscriptions {
  readonly at: number
}

/** What gone sockets had subscribed to, by the private id that only their client knows. */
export class KeptRooms {
  readonly #kept = new Map<string, Kept>()

  keep(privateId: string, subscriptions: KeptSubscriptions, at: number): void {
    this.#forget(at)
    if (subscriptions.sessions.size === 0) return
    this.#kept.set(privateId, { ...subscriptions, at })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest)
  }

  /** Once; only for the same user. */
  take(privateId: string, userId: string, at: number): KeptSubscriptions | undefined {
    this.#forget(at)
    const kept = this.#kept.get(privateId)
    if (kept?.userId !== userId) return undefined
    this.#kept.delete(privateId)
    return kept
  }

  /** Oldest first, because a map keeps the order in which it was filled. */
  #forget(now: number): void {
    for (const [privateId, { at }] of this.#kept) {
      if (at > now - AWAY_MS) return
      this.#kept.delete(privateId)
    }
  }
}
