import type { DatabaseSync } from 'node:sqlite'
import { encodeEvent, type Clock, type EventStore, type ListingPage, type ListingQuery } from '@polylogue/engine'
import { prepareAppend } from './append.ts'
import { prepareDraftRows } from './draft-rows.ts'
import type { GroupCommit } from './group-commit.ts'
import { prepareLeases } from './leases.ts'
import { createListingWrites } from './listing-writes.ts'
import { prepareListings } from './listings.ts'
import { createReadPauses } from './read-pauses.ts'
import { createSearchIndexer } from './search-indexer.ts'
import { prepareSearchRows } from './search-rows.ts'
import { createSessionHeads } from './session-heads.ts'
import { prepareSessionReads, type EventPage } from './session-reads.ts'
import { createSessionRemoval } from './session-removal.ts'
import { prepareSpokenRows } from './spoken-rows.ts'
import { isUnreadable } from './sqlite-fault.ts'
import { prepareUsageWrites } from './usage-writes.ts'
import { createUserSizes } from './user-sizes.ts'

const NOTHING: EventPage = { events: [], size: 0 }

export interface SqliteEventStoreOptions {
  readonly db: DatabaseSync
  readonly clock: Clock
  readonly commits: GroupCommit
}

export function createSqliteEventStore({ db, clock, commits }: SqliteEventStoreOptions): EventStore {
  const heads = createSessionHeads(db)
  const sizes = createUserSizes(db)
  const usage = prepareUsageWrites(db)
  const drafts = prepareDraftRows(db)
  const rows = createListingWrites({ db, clock, commits })
  for (const companion of [heads, sizes, usage, drafts, rows]) commits.accompany(companion)
  const append = prepareAppend({ db, clock, heads, sizes, listings: rows, drafts, usage })
  const leases = prepareLeases(db, clock, heads)
  const reads = prepareSessionReads(db, clock)
  const pause = createReadPauses()
  const search = prepareSearchRows(db)
  const indexer = createSearchIndexer({ clock, commits, rows: search, spoken: prepareSpokenRows(db) })
  const listings = prepareListings(db, search)
  const removal = createSessionRemoval({
    db,
    commits,
    removed(sessionId, { userId, bytes }) {
      heads.forget(sessionId)
      rows.forget(sessionId)
      sizes.add(userId, -bytes)
    },
    index: { has: (sessionId) => search.mark(sessionId) !== undefined, forget: indexer.forget },
  })
  const find = async (query: ListingQuery): Promise<ListingPage> => {
    await rows.settle()
    const { page, size } = await commits.read(() => listings.find(query))
    const turn = pause(size)
    if (turn !== undefined) await turn
    return page
  }

  return {
    async append(request) {
      const events = request.events.map((event) => {
        const { type, version, data } = encodeEvent(event)
        return { type, version, data, bytes: Buffer.byteLength(data) }
      })
      // A new session can bring a long log along. Each one is committed in its own turn of the event loop.
      const turn = request.create && pause(events.reduce((sum, { bytes }) => sum + bytes, 0))
      if (turn !== undefined) await turn
      const result = await commits.write('append', () => append(request, events))
      if (result.type === 'conflict') return result
      if (request.listing !== undefined) rows.note(request.sessionId, result.listedAt)
      indexer.touch(request.sessionId)
      const { lastSeq, fence } = result
      return fence === undefined ? { type: 'appended', lastSeq } : { type: 'appended', lastSeq, fence }
    },
    async readEvents(sessionId, after, limit) {
      const { events, size } = await commits.read(() =>
        removal.isHidden(sessionId) ? NOTHING : reads.events(sessionId, after, limit),
      )
      const turn = pause(size)
      if (turn !== undefined) await turn
      return events
    },
    readHead: (sessionId) => commits.read(() => reads.head(sessionId)),
    readHeads: (sessionIds) => commits.read(() => reads.heads(sessionIds)),
    storedBytes: (userId) => commits.read(() => reads.storedBytes(userId)),
    readSnapshot: (sessionId) => commits.read(() => reads.snapshot(sessionId)),

    saveDrafts: (sessionId, fence, changed) =>
      commits.write('drafts', () => {
        if (!leases.isHeldBy(sessionId, fence)) return false
        drafts.save(sessionId, changed)
        return true
      }),
    readDrafts: (sessionId) => commits.read(() => reads.drafts(sessionId)),

    async findSessions(query) {
      if (query.text === undefined) return find(query)
      const isComplete = await indexer.settle()
      try {
        const page = await find(query)
        return isComplete ? page : { ...page, isPartial: true }
      } catch (error) {
        if (!isUnreadable(error)) throw error
        await indexer.rebuild()
        return { ...(await find(query)), isPartial: true }
      }
    },
    async findStale(before, limit) {
      await rows.settle()
      return commits.read(() => listings.stale(before, limit))
    },
    async listSessions(query) {
      const { rows: page, size } = await commits.read(() => reads.list(query))
      const turn = pause(size)
      if (turn !== undefined) await turn
      return page
    },
    deleteSession: (sessionId) => removal.remove(sessionId),

    findReceipt: (userId, sessionId, key) => commits.read(() => reads.receipt(userId, sessionId, key)),
    takenNames: (sessionId, names) => commits.read(() => reads.takenNames(sessionId, names)),
    readBlob: (sessionId, hash) =>
      commits.read(() => (removal.isHidden(sessionId) ? undefined : reads.blob(sessionId, hash))),
    readSecrets: (sessionId) => commits.read(() => reads.secrets(sessionId)),

    claim: (sessionId, owner, leaseMs) => commits.write('claim', () => leases.claim(sessionId, owner, leaseMs)),
    renew: (owner, sessionIds, leaseMs) => commits.write('other', () => leases.renew(owner, sessionIds, leaseMs)),
    release: (sessionId, fence) => commits.write('other', () => leases.release(sessionId, fence)),
    dropLeases: () => commits.write('other', () => leases.drop()),
    wantedSessions: (limit) => commits.read(() => reads.wanted(limit)),

    async close() {
      indexer.close()
      // This loses only the order of the last second, and a store that cannot write must still close.
      await rows.settle().catch(() => undefined)
      await commits.close()
    },
  }
}
