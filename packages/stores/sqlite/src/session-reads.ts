import type { DatabaseSync } from 'node:sqlite'
import {
  asSessionId,
  asTurnId,
  asUserId,
  type Blob,
  type Clock,
  type Draft,
  type Receipt,
  type Recorded,
  type SealedSecret,
  type SessionHead,
  type SessionId,
  type SessionQuery,
  type SessionRow,
  type Snapshot,
  type UserId,
  type WatchedHead,
} from '@polylogue/engine'
import {
  blobIn,
  bytesIn,
  checksumsIn,
  draftIn,
  incomplete,
  integerIn,
  optionalTextIn,
  recordedIn,
  sessionIn,
  snapshotIn,
  textIn,
} from '@polylogue/store-rows'
import { EVENT_COLUMNS, SUMMARY_COLUMNS, prepareArrays, takeEvents, takeSummaries } from './array-rows.ts'

export interface EventPage {
  readonly events: readonly Recorded[]
  /** Of their JSON, about. */
  readonly size: number
}

export interface SizedRows {
  readonly rows: readonly SessionRow[]
  /** Of their summaries, about. */
  readonly size: number
}

/** The queries of the event store. Each one reads a consistent state. */
export interface SessionReads {
  events(sessionId: SessionId, after: number, limit: number): EventPage
  head(sessionId: SessionId): SessionHead | undefined
  heads(sessionIds: readonly SessionId[]): ReadonlyMap<SessionId, WatchedHead>
  storedBytes(userId: UserId): number
  snapshot(sessionId: SessionId): Snapshot | undefined
  drafts(sessionId: SessionId): readonly Draft[]
  list(query: SessionQuery): SizedRows
  receipt(userId: UserId, sessionId: SessionId, key: string): Receipt | undefined
  takenNames(sessionId: SessionId, names: readonly string[]): ReadonlySet<string>
  blob(sessionId: SessionId, hash: string): Blob | undefined
  secrets(sessionId: SessionId): readonly SealedSecret[]
  wanted(limit: number): readonly SessionId[]
}

export function prepareSessionReads(db: DatabaseSync, clock: Clock): SessionReads {
  const selectEvents = prepareArrays(
    db,
    `SELECT ${EVENT_COLUMNS} FROM events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
  )
  const selectHead = db.prepare('SELECT user_id, last_seq, owner FROM sessions WHERE session_id = ?')
  const selectUserSize = db.prepare('SELECT stored_bytes FROM user_sizes WHERE user_id = ?')
  const selectSnapshot = db.prepare('SELECT seq, state, crc FROM snapshots WHERE session_id = ?')
  const selectDrafts = db.prepare(
    'SELECT step_id, block, kind, text, reserved_batches FROM drafts WHERE session_id = ? ORDER BY step_id, block',
  )
  const selectNewest = prepareArrays(
    db,
    `SELECT ${SUMMARY_COLUMNS} FROM sessions AS s WHERE user_id = ? ORDER BY session_id DESC LIMIT ?`,
  )
  const selectBefore = prepareArrays(
    db,
    `SELECT ${SUMMARY_COLUMNS} FROM sessions AS s WHERE user_id = ? AND session_id < ? ORDER BY session_id DESC LIMIT ?`,
  )
  const selectReceipt = db.prepare(
    'SELECT fingerprint, turn_id, seq FROM receipts WHERE session_id = ? AND user_id = ? AND key = ?',
  )
  const selectName = db.prepare('SELECT 1 FROM names WHERE session_id = ? AND name = ?')
  const selectBlob = db.prepare('SELECT media_type, bytes, crc FROM blobs WHERE session_id = ? AND hash = ?')
  const selectSecrets = db.prepare('SELECT name, sealed FROM secrets WHERE session_id = ? ORDER BY name')
  const selectWanted = db.prepare(
    `SELECT session_id FROM sessions
     WHERE wanted_since IS NOT NULL AND (owner IS NULL OR lease_until <= ?)
     ORDER BY wanted_since, session_id LIMIT ?`,
  )

  return {
    events(sessionId, after, limit) {
      const { rows, isCut, size } = takeEvents(selectEvents.iterate(sessionId, after, atMost(limit)))
      const first = Math.max(0, after) + 1
      const lastSeq = integerIn(selectHead.get(sessionId) ?? { last_seq: 0 }, 'last_seq')
      const expected = isCut ? rows.length : Math.max(0, Math.min(atMost(limit), lastSeq - first + 1))
      if (rows.length !== expected) throw incomplete(sessionId, rows, { first, expected })
      const checksums = checksumsIn(sessionId)
      const events = rows.map((row, index) => recordedIn(row, { sessionId, expectedSeq: first + index, checksums }))
      return { events, size }
    },
    head(sessionId) {
      const row = selectHead.get(sessionId)
      return row && { userId: asUserId(textIn(row, 'user_id')), lastSeq: integerIn(row, 'last_seq') }
    },
    heads: (sessionIds) =>
      new Map(
        sessionIds.flatMap((sessionId) => {
          const row = selectHead.get(sessionId)
          if (row === undefined) return []
          const owner = optionalTextIn(row, 'owner')
          return [[sessionId, { lastSeq: integerIn(row, 'last_seq'), ...(owner !== undefined && { owner }) }]]
        }),
      ),
    storedBytes(userId) {
      const row = selectUserSize.get(userId)
      return row === undefined ? 0 : integerIn(row, 'stored_bytes')
    },
    snapshot(sessionId) {
      const row = selectSnapshot.get(sessionId)
      return row && snapshotIn(row, sessionId)
    },
    drafts: (sessionId) => selectDrafts.all(sessionId).map(draftIn),
    list({ userId, before, limit }) {
      const found =
        before === undefined
          ? selectNewest.iterate(userId, atMost(limit))
          : selectBefore.iterate(userId, before, atMost(limit))
      const { rows, size } = takeSummaries(found)
      return { rows: rows.map(sessionIn), size }
    },
    receipt(userId, sessionId, key) {
      const row = selectReceipt.get(sessionId, userId, key)
      if (row === undefined) return undefined
      return {
        fingerprint: textIn(row, 'fingerprint'),
        turnId: asTurnId(textIn(row, 'turn_id')),
        seq: integerIn(row, 'seq'),
      }
    },
    takenNames: (sessionId, names) => new Set(names.filter((name) => selectName.get(sessionId, name) !== undefined)),
    blob(sessionId, hash) {
      const row = selectBlob.get(sessionId, hash)
      return row && blobIn(row, sessionId, hash)
    },
    secrets: (sessionId) =>
      selectSecrets.all(sessionId).map((row) => ({ name: textIn(row, 'name'), sealed: bytesIn(row, 'sealed') })),
    wanted: (limit) =>
      selectWanted.all(clock.now(), atMost(limit)).map((row) => asSessionId(textIn(row, 'session_id'))),
  }
}

/** To SQLite, a negative LIMIT means no limit. */
const atMost = (limit: number): number => Math.max(0, limit)
