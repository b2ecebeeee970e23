import type { DatabaseSync } from 'node:sqlite'
import { encodeEvent, type Clock, type EventStore } from '@polylogue/engine'
import { prepareAppend } from './append.ts'
import type { GroupCommit } from './group-commit.ts'
import { prepareLeases } from './leases.ts'
import { prepareListings } from './listings.ts'
import { createSearchIndexer } from './search-indexer.ts'
import { prepareSearchRows } from './search-rows.ts'
import { prepareSessionReads } from './session-reads.ts'
import { createSessionRemoval } from './session-removal.ts'
import { prepareSpokenRows } from './spoken-rows.ts'
import { isUnreadable } from './sqlite-fault.ts'

export interface SqliteEventStoreOptions {
  readonly db: DatabaseSync
  readonly clock: Clock
  readonly commits: GroupCommit
}

export function createSqliteEventStore({ db, clock, commits }: SqliteEventStoreOptions): EventStore {
  const append = prepareAppend(db, clock)
  const leases = prepareLeases(db, clock)
  const reads = prepareSessionReads(db, clock)
  const search = prepareSearchRows(db)
  const indexer = createSearchIndexer({ clock, commits, rows: search, spoken: prepareSpokenRows(db) })
  const listings = prepareListings(db, search)
  const removal = createSessionRemoval({
    db,
    commits,
    index: { has: (sessionId) => search.mark(sessionId) !== undefined, forget: indexer.forget },
  })
  const upsertDraft = db.prepare(
    `INSERT INTO drafts (session_id, step_id, block, kind, text, reserved_batches) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (session_id, step_id, block) DO UPDATE SET kind = excluded.kind, text = excluded.text,
       reserved_batches = excluded.reserved_batches`,
  )

  return {
    async append(request) {
      const events = request.events
        .map(encodeEvent)
        .map((event) => ({ ...event, bytes: Buffer.byteLength(event.data) }))
      const result = await commits.write('append', () => append(request, events))
      if (result.type === 'appended') indexer.touch(request.sessionId)
      return result
    },
    readEvents: (sessionId, after, limit) =>
      commits.read(() => (removal.isHidden(sessionId) ? [] : reads.events(sessionId, after, limit))),
    readHead: (sessionId) => commits.read(() => reads.head(sessionId)),
    readHeads: (sessionIds) => commits.read(() => reads.heads(sessionIds)),
    storedBytes: (userId) => commits.read(() => reads.storedBytes(userId)),
    readSnapshot: (sessionId) => commits.read(() => reads.snapshot(sessionId)),

    saveDrafts: (sessionId, fence, drafts) =>
      commits.write('drafts', () => {
        if (!leases.isHeldBy(sessionId, fence)) return false
        for (const { stepId, block, kind, text, reservedBatches = null } of drafts)
          upsertDraft.run(sessionId, stepId, block, kind, text, reservedBatches)
        return true
      }),
    readDrafts: (sessionId) => commits.read(() => reads.drafts(sessionId)),

    async findSessions(query) {
      if (query.text === undefined) return commits.read(() => listings.find(query))
      const isComplete = await indexer.settle()
      try {
        const page = await commits.read(() => listings.find(query))
        return isComplete ? page : { ...page, isPartial: true }
      } catch (error) {
        if (!isUnreadable(error)) throw error
        await indexer.rebuild()
        return { ...(await commits.read(() => listings.find(query))), isPartial: true }
      }
    },
    listSessions: (query) => commits.read(() => reads.list(query)),
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

    close() {
      indexer.close()
      return commits.close()
    },
  }
}
