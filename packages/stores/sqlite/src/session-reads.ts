import type { DatabaseSync } from 'node:sqlite'
import {
  PAGE_BYTES,
  StorageFault,
  asEntryId,
  asSessionId,
  asTurnId,
  asUserId,
  decodeEvent,
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
} from '@polylogue/engine'
import { type SessionChecksums, checksumsIn } from './checksum.ts'
import { damaged } from './damage.ts'
import { type Row, bytesIn, integerIn, optionalIntegerIn, textIn } from './rows.ts'

/** The queries of the event store. Each one reads a consistent state. */
export interface SessionReads {
  events(sessionId: SessionId, after: number, limit: number): readonly Recorded[]
  head(sessionId: SessionId): SessionHead | undefined
  storedBytes(userId: UserId): number
  snapshot(sessionId: SessionId): Snapshot | undefined
  drafts(sessionId: SessionId): readonly Draft[]
  list(query: SessionQuery): readonly SessionRow[]
  receipt(userId: UserId, sessionId: SessionId, key: string): Receipt | undefined
  takenNames(sessionId: SessionId, names: readonly string[]): ReadonlySet<string>
  blob(sessionId: SessionId, hash: string): Blob | undefined
  secrets(sessionId: SessionId): readonly SealedSecret[]
  wanted(limit: number): readonly SessionId[]
}

export function prepareSessionReads(db: DatabaseSync, clock: Clock): SessionReads {
  const selectEvents = db.prepare(
    'SELECT seq, at, type, version, data, crc FROM events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?',
  )
  const selectHead = db.prepare('SELECT user_id, last_seq FROM sessions WHERE session_id = ?')
  const selectUserSize = db.prepare('SELECT stored_bytes FROM user_sizes WHERE user_id = ?')
  const selectSnapshot = db.prepare('SELECT seq, state, crc FROM snapshots WHERE session_id = ?')
  const selectDrafts = db.prepare(
    'SELECT step_id, block, kind, text, reserved_batches FROM drafts WHERE session_id = ? ORDER BY step_id, block',
  )
  const selectNewest = db.prepare(
    'SELECT session_id, summary, summary_crc FROM sessions WHERE user_id = ? ORDER BY session_id DESC LIMIT ?',
  )
  const selectBefore = db.prepare(
    'SELECT session_id, summary, summary_crc FROM sessions WHERE user_id = ? AND session_id < ? ORDER BY session_id DESC LIMIT ?',
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
      const { rows, isCut } = takePage(selectEvents.iterate(sessionId, after, atMost(limit)))
      const first = Math.max(0, after) + 1
      const lastSeq = integerIn(selectHead.get(sessionId) ?? { last_seq: 0 }, 'last_seq')
      const expected = isCut ? rows.length : Math.max(0, Math.min(atMost(limit), lastSeq - first + 1))
      if (rows.length !== expected) throw incomplete(sessionId, rows, { first, expected })
      const checksums = checksumsIn(sessionId)
      return rows.map((row, index) => recordedIn(row, { sessionId, expectedSeq: first + index, checksums }))
    },
    head(sessionId) {
      const row = selectHead.get(sessionId)
      return row && { userId: asUserId(textIn(row, 'user_id')), lastSeq: integerIn(row, 'last_seq') }
    },
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
      const rows =
        before === undefined ? selectNewest.all(userId, atMost(limit)) : selectBefore.all(userId, before, atMost(limit))
      return rows.map(sessionIn)
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

/** Rows up to `PAGE_BYTES`, and at least one. In UTF-16 units, which is close enough. */
function takePage(rows: Iterable<Row>): { readonly rows: readonly Row[]; readonly isCut: boolean } {
  const page: Row[] = []
  let size = 0
  for (const row of rows) {
    const { data } = row
    size += typeof data === 'string' ? data.length : 0
    if (size > PAGE_BYTES && page.length > 0) return { rows: page, isCut: true }
    page.push(row)
  }
  return { rows: page, isCut: false }
}

/** To SQLite, a negative LIMIT means no limit. */
const atMost = (limit: number): number => Math.max(0, limit)

interface Place {
  readonly sessionId: SessionId
  readonly expectedSeq: number
  readonly checksums: SessionChecksums
}

function recordedIn(row: Row, { sessionId, expectedSeq, checksums }: Place): Recorded {
  const seq = integerIn(row, 'seq')
  try {
    if (seq !== expectedSeq) throw new Error(`event ${expectedSeq} is missing`)
    const at = integerIn(row, 'at')
    const stored = { type: textIn(row, 'type'), version: integerIn(row, 'version'), data: textIn(row, 'data') }
    // First, because an error of the decoder may quote the conversation.
    if (checksums.ofEvent({ ...stored, seq, at }) !== row['crc']) throw new Error('its checksum is wrong')
    return { seq, at, event: decodeEvent(stored) }
  } catch (error) {
    if (error instanceof StorageFault) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw damaged(`Session ${sessionId} cannot be read at event ${seq}: ${reason}.`, error)
  }
}

/** Names the first event that is missing or too many. */
function incomplete(
  sessionId: SessionId,
  rows: readonly Row[],
  { first, expected }: { readonly first: number; readonly expected: number },
): StorageFault {
  const gap = rows.findIndex((row, index) => row['seq'] !== first + index)
  const seq = first + (gap === -1 ? Math.min(rows.length, expected) : gap)
  const problem = rows.length < expected ? 'is missing' : 'is beyond the end of its session'
  return damaged(`Session ${sessionId} cannot be read: event ${seq} ${problem}.`)
}

/** A damaged snapshot is ignored: the log holds everything. */
function snapshotIn(row: Row, sessionId: SessionId): Snapshot | undefined {
  const seq = integerIn(row, 'seq')
  const state = textIn(row, 'state')
  return checksumsIn(sessionId).ofSnapshot(seq, state) === row['crc'] ? { seq, state } : undefined
}

/** A row with the columns that lists need of `sessions`. */
export function sessionIn(row: Row): SessionRow {
  const sessionId = asSessionId(textIn(row, 'session_id'))
  const summary = textIn(row, 'summary')
  if (checksumsIn(sessionId).ofSummary(summary) !== row['summary_crc'])
    throw damaged(`The summary of session ${sessionId} is damaged.`)
  return { sessionId, summary }
}

function blobIn(row: Row, sessionId: SessionId, hash: string): Blob {
  const blob = { mediaType: textIn(row, 'media_type'), bytes: bytesIn(row, 'bytes') }
  if (checksumsIn(sessionId).ofBlob({ hash, ...blob }) !== row['crc'])
    throw damaged(`An attachment of session ${sessionId} is damaged.`)
  return blob
}

function draftIn(row: Row): Draft {
  const kind = textIn(row, 'kind')
  if (kind !== 'text' && kind !== 'thinking') throw new StorageFault('broken', `A draft has the kind ${kind}.`)
  const reservedBatches = optionalIntegerIn(row, 'reserved_batches')
  return {
    stepId: asEntryId(textIn(row, 'step_id')),
    block: integerIn(row, 'block'),
    kind,
    text: textIn(row, 'text'),
    ...(reservedBatches !== undefined && { reservedBatches }),
  }
}
