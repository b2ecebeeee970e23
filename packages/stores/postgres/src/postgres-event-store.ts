import {
  PAGE_BYTES,
  StorageFault,
  asSessionId,
  asTurnId,
  asUserId,
  type EventStore,
  type Recorded,
  type SessionId,
} from '@polylogue/engine'
import {
  blobIn,
  bytesIn,
  checksumsIn,
  incomplete,
  integerIn,
  optionalTextIn,
  recordedIn,
  sessionIn,
  snapshotIn,
  textIn,
  type Row,
} from '@polylogue/store-rows'
import { createAppendGroups } from './append-groups.ts'
import type { Database, Statement } from './database.ts'
import { createDrafts } from './drafts.ts'
import { findSessions } from './listings.ts'
import type { HeavyReads } from './heavy-reads.ts'
import { toFault } from './postgres-fault.ts'

/** With a deletion: its own session, and those that other processes have left. A start purges as many. */
const MOST_PURGED = 5
const ANY_LEVEL = 2 ** 31 - 1

export function createPostgresEventStore(db: Database, heavy: HeavyReads): EventStore {
  const groups = createAppendGroups(db)
  const drafts = createDrafts(db)
  /** A function of the schema that changes nothing, or that may run twice. */
  const call = (name: string, ...values: readonly unknown[]): Promise<readonly Row[]> => db.read(toCall(name, values))
  const callIn = (lane: 'turns' | 'lease', name: string, ...values: readonly unknown[]): Promise<readonly Row[]> =>
    db.read({ ...toCall(name, values), lane })

  /** This session first. A failure leaves the rest to the next process that purges. */
  const purge = async (sessionId?: SessionId): Promise<void> => {
    try {
      for (let count = 0; count < MOST_PURGED; count++) {
        const [row] = await call('purge_deleted', sessionId ?? null)
        if (row?.['purge_deleted'] !== true) return
      }
    } catch (error) {
      if (!(error instanceof StorageFault)) throw error
    }
  }
  void purge()

  return {
    async append(request) {
      if (request.clearDrafts !== undefined || request.release === true) {
        const saving = drafts.underWay(request.sessionId)
        if (saving !== undefined) await saving
        drafts.forget(request.sessionId)
      }
      return groups.append(request)
    },
    async readEvents(sessionId, after, limit) {
      const most = Math.max(0, limit)
      return toPage(await call('read_events', sessionId, after, most, PAGE_BYTES), { sessionId, after, limit: most })
    },
    async readHead(sessionId) {
      const [row] = await call('read_head', sessionId)
      return row && { userId: asUserId(textIn(row, 'user_id')), lastSeq: integerIn(row, 'last_seq') }
    },
    async readHeads(sessionIds) {
      const rows = await callIn('turns', 'read_heads', sessionIds)
      return new Map(
        rows.map((row) => {
          const owner = optionalTextIn(row, 'owner')
          const head = { lastSeq: integerIn(row, 'last_seq'), ...(owner !== undefined && { owner }) }
          return [asSessionId(textIn(row, 'session_id')), head]
        }),
      )
    },
    storedBytes: (userId) =>
      db.asUser(userId, async (query) => {
        const text = 'SELECT stored_bytes FROM polylogue.user_sizes WHERE user_id = $1'
        const [row] = await query({ name: 'stored_bytes', text, values: [userId] })
        return row === undefined ? 0 : integerIn(row, 'stored_bytes')
      }),
    async readSnapshot(sessionId) {
      const [row] = await call('read_snapshot', sessionId)
      return row && snapshotIn(row, sessionId)
    },

    saveDrafts: drafts.save,
    readDrafts: drafts.read,

    listSessions: ({ userId, before, limit }) =>
      db.asUser(userId, async (query) => {
        const text = `SELECT session_id, summary, summary_crc FROM (
            SELECT session_id, summary, summary_crc, row_number() OVER page AS place,
              sum(octet_length(summary)) OVER page AS bytes
            FROM (SELECT session_id, summary, summary_crc FROM polylogue.sessions
              WHERE user_id = $1 AND ($2::text IS NULL OR session_id < $2) ORDER BY session_id DESC LIMIT $3) AS found
            WINDOW page AS (ORDER BY session_id DESC)) AS paged
          WHERE place = 1 OR bytes <= ${PAGE_BYTES} ORDER BY place`
        const values = [userId, before ?? null, Math.max(0, limit)]
        return (await query({ name: 'list_sessions', text, values })).map(sessionIn)
      }),
    findSessions: (query) =>
      (query.text ?? '').trim() === ''
        ? findSessions(db, query)
        : heavy.run(query.userId, () => findSessions(db, query)),
    findStale: (before, limit) =>
      db.asSystem(async (query) => {
        const text = `SELECT user_id, session_id FROM polylogue.listings
          WHERE listed_at < $1 AND is_pinned = 0 ORDER BY listed_at, session_id LIMIT $2`
        const rows = await query({ text, values: [before, Math.max(0, limit)] })
        return rows.map((row) => ({
          userId: asUserId(textIn(row, 'user_id')),
          sessionId: asSessionId(textIn(row, 'session_id')),
        }))
      }),
    async deleteSession(sessionId) {
      drafts.forget(sessionId)
      const text = 'SELECT polylogue.delete_session($1) AS is_deleted'
      const [row] = await db.write({ name: 'delete_session', text, values: [sessionId] }).catch((error: unknown) => {
        throw toFault(error)
      })
      await purge(sessionId)
      return row?.['is_deleted'] === true
    },

    async findReceipt(userId, sessionId, key) {
      const [row] = await call('find_receipt', sessionId, userId, key)
      if (row === undefined) return undefined
      return {
        fingerprint: textIn(row, 'fingerprint'),
        turnId: asTurnId(textIn(row, 'turn_id')),
        seq: integerIn(row, 'seq'),
      }
    },
    async takenNames(sessionId, names) {
      if (names.length === 0) return new Set()
      const rows = await call('taken_names', sessionId, names)
      const taken = new Set(rows.map((row) => textIn(row, 'taken_names')))
      return new Set(names.filter((name) => taken.has(name)))
    },
    async readBlob(sessionId, hash) {
      const [row] = await call('read_blob', sessionId, hash)
      return row && blobIn(row, sessionId, hash)
    },
    async readSecrets(sessionId) {
      const rows = await call('read_secrets', sessionId)
      return rows.map((row) => ({ name: textIn(row, 'name'), sealed: bytesIn(row, 'sealed') }))
    },

    async claim(sessionId, owner, leaseMs) {
      const [row] = await callIn('turns', 'claim_session', sessionId, owner, leaseMs)
      const epoch = row?.['claim_session']
      if (typeof epoch === 'number') return { owner, epoch }
      drafts.forget(sessionId)
      return undefined
    },
    async renew(owner, sessionIds, leaseMs) {
      const held = (await callIn('lease', 'renew_leases', owner, sessionIds, leaseMs)).map((row) =>
        textIn(row, 'renew_leases'),
      )
      const isHeld = new Set(held)
      const lost = sessionIds.filter((sessionId) => !isHeld.has(sessionId))
      for (const sessionId of lost) drafts.forget(sessionId)
      return lost
    },
    async release(sessionId, { owner, epoch }) {
      drafts.forget(sessionId)
      await callIn('turns', 'release_session', sessionId, owner, epoch)
    },
    async dropLeases() {
      await call('drop_leases')
    },
    async wantedSessions(limit, level = ANY_LEVEL) {
      const rows = await callIn('turns', 'wanted_sessions', Math.max(0, limit), level)
      return rows.map((row) => asSessionId(textIn(row, 'wanted_sessions')))
    },

    async close() {
      await groups.settled()
      await db.close()
    },
  }
}

function toCall(name: string, values: readonly unknown[]): Statement {
  const places = values.map((_, index) => `$${index + 1}`).join(', ')
  return { name, text: `SELECT * FROM polylogue.${name}(${places})`, values }
}

interface Asked {
  readonly sessionId: SessionId
  readonly after: number
  readonly limit: number
}

/** See `read_events`: the first row is the session, and a last row without data means that the page was cut. */
function toPage(rows: readonly Row[], { sessionId, after, limit }: Asked): readonly Recorded[] {
  const [head, ...found] = rows
  if (head === undefined) return []
  const isCut = found.at(-1)?.['seq'] === -1
  const events = isCut ? found.slice(0, -1) : found
  const first = Math.max(0, after) + 1
  const expected = isCut ? events.length : Math.max(0, Math.min(limit, integerIn(head, 'at') - first + 1))
  if (events.length !== expected) throw incomplete(sessionId, events, { first, expected })
  const checksums = checksumsIn(sessionId)
  return events.map((row, index) => recordedIn(row, { sessionId, expectedSeq: first + index, checksums }))
}
