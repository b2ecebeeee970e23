import type { Writable } from 'node:stream'
import { HttpRefusal } from '../http/http-refusal.ts'
import type { SharedCounts } from './shared-counts.ts'

/** Counts the answers that stay open until a turn stops, and refuses the one too many. */
export interface OpenStreams {
  readonly count: number
  /** Throws `HttpRefusal`. Counted until the response or connection is closed, however that happens. */
  admit(keyId: string, outgoing: Writable): void
  /** Throws `HttpRefusal`. Counted until what it returns is called; calling that twice is harmless. */
  enter(keyId: string): () => void
}

export interface OpenStreamsOptions {
  readonly perKey: number
  readonly total: number
  /** What other nodes count. Absent: there is only this one. */
  readonly shared?: SharedCounts
  refused(limit: 'streams-per-key' | 'streams'): void
}

const RETRY_AFTER = { 'Retry-After': '5' }

const NAME = 'streams'

export function createOpenStreams({ perKey, total, shared, refused }: OpenStreamsOptions): OpenStreams {
  const counts = new Map<string, number>()
  let count = 0
  const worthTelling = perKey / 100
  shared?.onOpen(NAME, { list: () => [...counts].filter(([, own]) => own >= worthTelling) })
  return {
    get count() {
      return count
    },
    enter,
    admit(keyId, outgoing) {
      const leave = enter(keyId)
      if (outgoing.closed || outgoing.destroyed) leave()
      else outgoing.on('close', leave)
    },
  }

  function enter(keyId: string): () => void {
    const own = counts.get(keyId) ?? 0
    if (own + (shared?.elsewhere(NAME, keyId) ?? 0) >= perKey) {
      refused('streams-per-key')
      throw new HttpRefusal(429, `This key has ${perKey} open streams, which is the limit.`, RETRY_AFTER)
    }
    if (count >= total) {
      refused('streams')
      throw new HttpRefusal(503, 'The server has as many open streams as it takes.', RETRY_AFTER)
    }
    count += 1
    counts.set(keyId, own + 1)
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      count -= 1
      const rest = (counts.get(keyId) ?? 1) - 1
      if (rest > 0) counts.set(keyId, rest)
      else counts.delete(keyId)
    }
  }
}
