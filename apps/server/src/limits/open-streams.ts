import type { UserId } from '@polylogue/engine'
import type { Writable } from 'node:stream'
import { HttpRefusal } from '../http/http-refusal.ts'
import type { SharedCounts } from './shared-counts.ts'

/** Whose stream it is. */
export interface StreamOwner {
  readonly keyId: string
  readonly userId: UserId
}

/** Counts the answers that stay open until a turn stops, and refuses the one too many. */
export interface OpenStreams {
  readonly count: number
  /** Throws `HttpRefusal`. Counted until the response or connection is closed, however that happens. */
  admit(owner: StreamOwner, outgoing: Writable): void
  /** Throws `HttpRefusal`. Counted until what it returns is called; calling that twice is harmless. */
  enter(owner: StreamOwner): () => void
}

export interface OpenStreamsOptions {
  readonly perKey: number
  readonly total: number
  /** What other nodes count. Absent: there is only this one. */
  readonly shared?: SharedCounts
  refused(limit: 'streams-per-key' | 'streams-per-user' | 'streams'): void
}

const RETRY_AFTER = { 'Retry-After': '5' }

/** Of all places. The last ones are for users who hold less than that: a user may have a hundred keys. */
const RESERVED = 0.1

export function createOpenStreams({ perKey, total, shared, refused }: OpenStreamsOptions): OpenStreams {
  const ofKeys = new Counts('streams', shared)
  const ofUsers = new Counts('user-streams', shared)
  const reserved = Math.floor(total * RESERVED)
  const worthTelling = perKey / 100
  ofKeys.tell(worthTelling)
  ofUsers.tell(worthTelling)
  let count = 0
  return {
    get count() {
      return count
    },
    enter,
    admit(owner, outgoing) {
      const leave = enter(owner)
      if (outgoing.closed || outgoing.destroyed) leave()
      else outgoing.on('close', leave)
    },
  }

  function enter({ keyId, userId }: StreamOwner): () => void {
    if (ofKeys.everywhere(keyId) >= perKey) {
      refused('streams-per-key')
      throw new HttpRefusal(
        429,
        `This key has ${perKey} open streams, which is the limit (limits.streamsPerKey).`,
        RETRY_AFTER,
      )
    }
    const own = ofUsers.everywhere(userId)
    if (reserved > 0 && count >= total - reserved && own >= reserved) {
      refused('streams-per-user')
      const problem = `Your keys have ${own} open streams. The last ${reserved} that the server takes are for others (limits.streams).`
      throw new HttpRefusal(429, problem, RETRY_AFTER)
    }
    if (count >= total) {
      refused('streams')
      throw new HttpRefusal(503, 'The server has as many open streams as it takes (limits.streams).', RETRY_AFTER)
    }
    count += 1
    ofKeys.add(keyId, 1)
    ofUsers.add(userId, 1)
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      count -= 1
      ofKeys.add(keyId, -1)
      ofUsers.add(userId, -1)
    }
  }
}

/** How many streams each key or each user has. */
class Counts {
  readonly #name: string
  readonly #shared: SharedCounts | undefined
  readonly #counts = new Map<string, number>()

  constructor(name: string, shared: SharedCounts | undefined) {
    this.#name = name
    this.#shared = shared
  }

  /** Other nodes are told of those that have at least so many. */
  tell(least: number): void {
    this.#shared?.onOpen(this.#name, { list: () => [...this.#counts].filter(([, own]) => own >= least) })
  }

  everywhere(name: string): number {
    return (this.#counts.get(name) ?? 0) + (this.#shared?.elsewhere(this.#name, name) ?? 0)
  }

  add(name: string, change: 1 | -1): void {
    const next = (this.#counts.get(name) ?? 0) + change
    if (next > 0) this.#counts.set(name, next)
    else this.#counts.delete(name)
  }
}
