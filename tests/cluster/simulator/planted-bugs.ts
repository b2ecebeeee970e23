import type { EventStore } from '@polylogue/engine'
import type { Random } from './random.ts'

type Plant = (store: EventStore, random: Random) => EventStore

/** Bugs that stores and nodes of a cluster can have. The simulation must find each of them. */
export const PLANTED_BUGS: Readonly<Record<string, Plant>> = {
  'a former runner can append': (store) => ({
    ...store,
    async append({ fence, release, ...request }) {
      const head = (await store.readHead(request.sessionId))?.lastSeq ?? 0
      const result = await store.append({ ...request, ...(fence && { expectedSeq: head }) })
      if (fence !== undefined && release === true) await store.release(request.sessionId, fence)
      return result
    },
  }),
  'nobody knows who holds a session, and a claim ignores it': (store) => ({
    ...store,
    async readHeads(sessionIds) {
      const heads = await store.readHeads(sessionIds)
      return new Map([...heads].map(([id, { owner: _, ...head }]) => [id, head]))
    },
    async claim(sessionId, owner, leaseMs) {
      const before = (await store.readHeads([sessionId])).get(sessionId)?.owner
      const fence = await store.claim(sessionId, before ?? owner, leaseMs)
      return fence && { ...fence, owner: before ?? owner }
    },
  }),
  'a write is acknowledged and lost now and then': (store, random) => ({
    ...store,
    async append(request) {
      const isLost = request.create === undefined && request.fence === undefined && random.next() < 0.3
      if (!isLost) return store.append(request)
      return { type: 'appended', lastSeq: request.expectedSeq + request.events.length }
    },
  }),
  'sessions without a runner are not found': (store) => ({ ...store, wantedSessions: async () => [] }),
  'a page of the log lacks an event now and then': (store, random) => ({
    ...store,
    async readEvents(sessionId, after, limit) {
      const page = await store.readEvents(sessionId, after, limit)
      return page.length > 2 && random.next() < 0.3 ? page.toSpliced(1, 1) : page
    },
  }),
  'a lost message is never missed': (store) => ({ ...store, readHeads: async () => new Map() }),
  'leases are not renewed': (store) => ({ ...store, renew: async () => [] }),
}
