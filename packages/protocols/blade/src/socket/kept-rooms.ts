import { asUserId, type Clock, type Digest, type KeptStore, type LogEntry, type UserId } from '@polylogue/engine'
import { z } from 'zod'

/** How long a client may be away and still recover its subscriptions. */
export const AWAY_MS = 2 * 60_000
/** A killed server cannot record when its clients left, so entries live longer. */
const CONNECTED_MS = 24 * 60 * 60_000
/** In memory. The oldest are dropped first. */
const MOST_KEPT = 20_000

export interface KeptSubscriptions {
  readonly userId: UserId
  /** The last seq of each session that the client confirmed. */
  readonly sessions: ReadonlyMap<string, number>
}

export interface KeptRoomsDeps {
  /** Absent: subscriptions do not survive a killed server. */
  readonly store?: KeptStore | undefined
  readonly digest: Digest
  readonly clock: Clock
  log(entry: LogEntry): void
}

interface Gone extends KeptSubscriptions {
  readonly at: number
}

const content = z.object({ sessions: z.record(z.string(), z.int().min(0)) })

/**
 * The subscriptions of clients, by the private id that Socket.IO gives each connection and only its client knows. They are
 * stored while clients are connected, because a killed server cannot store them.
 */
export class KeptRooms {
  readonly #deps: KeptRoomsDeps
  readonly #gone = new Map<string, Gone>()

  constructor(deps: KeptRoomsDeps) {
    this.#deps = deps
  }

  /** Durable when it resolves. */
  async store(privateId: string, subscriptions: KeptSubscriptions): Promise<void> {
    await this.#write(privateId, subscriptions, CONNECTED_MS)
  }

  /** The connection closed. */
  keep(privateId: string, subscriptions: KeptSubscriptions): void {
    const at = this.#deps.clock.now()
    this.#forget(at)
    if (subscriptions.sessions.size === 0) return
    this.#gone.set(privateId, { ...subscriptions, at })
    const [oldest] = this.#gone.keys()
    if (this.#gone.size > MOST_KEPT && oldest !== undefined) this.#gone.delete(oldest)
    this.#write(privateId, subscriptions, AWAY_MS).catch((error: unknown) => this.#report(error))
  }

  /** Works once, and only for the same user. */
  async take(privateId: string, userId: UserId): Promise<KeptSubscriptions | undefined> {
    const { store, digest, clock } = this.#deps
    this.#forget(clock.now())
    const gone = this.#gone.get(privateId)
    if (gone?.userId === userId) this.#gone.delete(privateId)
    const stored = await store?.take(userId, digest(privateId))
    if (gone?.userId === userId) return gone
    const parsed = stored && content.safeParse(JSON.parse(stored.content))
    return parsed?.success === true ? { userId, sessions: new Map(Object.entries(parsed.data.sessions)) } : undefined
  }

  async #write(privateId: string, { userId, sessions }: KeptSubscriptions, lifetimeMs: number): Promise<void> {
    const { store, digest, clock } = this.#deps
    const hash = digest(privateId)
    if (sessions.size === 0) return void (await store?.take(asUserId(userId), hash))
    const text = JSON.stringify({ sessions: Object.fromEntries(sessions) })
    await store?.keep({ hash, userId, content: text, expiresAt: clock.now() + lifetimeMs })
  }

  #report(error: unknown): void {
    this.#deps.log({ level: 'warn', message: 'the subscriptions of a socket could not be stored', error })
  }

  /** Oldest first: a map keeps insertion order. */
  #forget(now: number): void {
    for (const [privateId, { at }] of this.#gone) {
      if (at > now - AWAY_MS) return
      this.#gone.delete(privateId)
    }
  }
}
