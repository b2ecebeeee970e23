import { Adapter, type BroadcastOptions, type Session } from 'socket.io-adapter'
import { FanOut } from './fan-out.ts'

/** What is remembered of a socket that has gone. */
type GoneSocket = Omit<Session, 'missedPackets'>

/** How long a client may be away and still find its rooms, in milliseconds. */
export const AWAY_MS = 2 * 60_000
/** Of the newest. */
const MOST_KEPT = 20_000

/**
 * Rooms as usual, but a full one is told in pieces. Of a socket that was cut it tells whoever wants to remember it, and it keeps no broadcasts: what was
 * missed is in the log.
 */
export class RoomsAdapter extends Adapter {
  readonly telling = new FanOut()

  override broadcast(packet: unknown, options: BroadcastOptions): void {
    this.telling.tell(this.members(options.rooms), (rooms) => {
      // To Socket.IO no room at all means every socket there is.
      if (rooms.size > 0) super.broadcast(packet, { ...options, rooms })
    })
  }

  /** Every socket is also a room of its own. */
  members(rooms: Iterable<string>): Set<string> {
    const members = new Set<string>()
    for (const room of rooms) for (const socketId of this.rooms.get(room) ?? []) members.add(socketId)
    return members
  }

  override persistSession(session: GoneSocket): void {
    this.emit('socket-gone', session)
  }

  override restoreSession(): Promise<Session> {
    // Typed so by the package; it takes nothing for an answer.
    return Promise.resolve(undefined as unknown as Session)
  }
}

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
