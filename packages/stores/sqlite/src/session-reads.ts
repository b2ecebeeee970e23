import type { DatabaseSync } from 'node:sqlite'
import {
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
import { type Row, bytesIn, integerIn, textIn } from './rows.ts'

/** The queries of the event store, each one consistent in itself. */
export interface SessionReads {
  events(sessionId: SessionId, after: number, limit: number): readonly Recorded[]
  head(sessionId: SessionId): SessionHead | undefined
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
    'SELECT seq, at, type, version, data FROM events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?',
  )
  const selectHead = db.prepare('SELECT user_id, last_seq FROM sessions WHERE session_id = ?')
  const selectSnapshot = db.prepare('SELECT seq, state FROM snapshots WHERE session_id = ?')
  const selectDrafts = db.prepare(
    'SELECT step_id, block, kind, text FROM drafts WHERE session_id = ? ORDER BY step_id, block',
  )
  const selectNewest = db.prepare(
    'SELECT session_id, summary FROM sessions WHERE user_id = ? ORDER BY session_id DESC LIMIT ?',
  )
  const selectBefore = db.prepare(
    'SELECT session_id, summary FROM sessions WHERE user_id = ? AND session_id < ? ORDER BY session_id DESC LIMIT ?',
  )
  const selectReceipt = db.prepare(
    'SELECT fingerprint, turn_id, seq FROM receipts WHERE session_id = ? AND user_id = ? AND key = ?',
  )
  const selectName = db.prepare('SELECT 1 FROM names WHERE session_id = ? AND name = ?')
  const selectBlob = db.prepare('SELECT media_type, bytes FROM blobs WHERE session_id = ? AND hash = ?')
  const selectSecrets = db.prepare('SELECT name, sealed FROM secrets WHERE session_id = ? ORDER BY name')
  const selectWanted = db.prepare(
    `SELECT session_id FROM sessions
     WHERE wanted_since IS NOT NULL AND (owner IS NULL OR lease_until <= ?)
     ORDER BY wanted_since, session_id LIMIT ?`,
  )

  return {
    events(sessionId, after, limit) {
      const rows = selectEvents.all(sessionId, after, atMost(limit))
      return rows.map((row, index) => recordedIn(row, sessionId, Math.max(0, after) + 1 + index))
    },
    head(sessionId) {
      const row = selectHead.get(sessionId)
      return row && { userId: asUserId(textIn(row, 'user_id')), lastSeq: integerIn(row, 'last_seq') }
    },
    snapshot(sessionId) {
      const row = selectSnapshot.get(sessionId)
      return row && { seq: integerIn(row, 'seq'), state: textIn(row, 'state') }
    },
    drafts: (sessionId) => selectDrafts.all(sessionId).map(draftIn),
    list({ userId, before, limit }) {
      const rows =
        before === undefined ? selectNewest.all(userId, atMost(limit)) : selectBefore.all(userId, before, atMost(limit))
      return rows.map((row) => ({ sessionId: asSessionId(textIn(row, 'session_id')), summary: textIn(row, 'summary') }))
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
      return row && { mediaType: textIn(row, 'media_type'), bytes: bytesIn(row, 'bytes') }
    },
    secrets: (sessionId) =>
      selectSecrets.all(sessionId).map((row) => ({ name: textIn(row, 'name'), sealed: bytesIn(row, 'sealed') })),
    wanted: (limit) =>
      selectWanted.all(clock.now(), atMost(limit)).map((row) => asSessionId(textIn(row, 'session_id'))),
  }
}

/** A negative LIMIT means no limit to SQLite. */
const atMost = (limit: number): number => Math.max(0, limit)

function recordedIn(row: Row, sessionId: SessionId, expectedSeq: number): Recorded {
  const seq = integerIn(row, 'seq')
  try {
    if (seq !== expectedSeq) throw new Error(`event ${expectedSeq} is missing`)
    const event = decodeEvent({
      type: textIn(row, 'type'),
      version: integerIn(row, 'version'),
      data: textIn(row, 'data'),
    })
    return { seq, at: integerIn(row, 'at'), event }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StorageFault('broken', `Session ${sessionId} cannot be read at event ${seq}: ${reason}.`, {
      cause: error,
    })
  }
}

function draftIn(row: Row): Draft {
  const kind = textIn(row, 'kind')
  if (kind !== 'text' && kind !== 'thinking') throw new StorageFault('broken', `A draft has the kind ${kind}.`)
  return {
    stepId: asEntryId(textIn(row, 'step_id')),
    block: integerIn(row, 'block'),
    kind,
    text: textIn(row, 'text'),
  }
}
