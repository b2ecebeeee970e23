import { DatabaseSync } from 'node:sqlite'
import {
  StorageFault,
  asSessionId,
  asUserId,
  type EncodedEvent,
  type SessionId,
  type Snapshot,
  type UserId,
} from '@polylogue/engine'
import { checksumsIn } from './checksum.ts'
import { APPLICATION_ID } from './make-database.ts'
import { memoryIn } from './memory-row.ts'
import { schemaVersionOf } from './migrate.ts'
import { bytesIn, integerIn, textIn, type Row } from './rows.ts'
import { scheduleIn, slotIn } from './schedule-row.ts'

/**
 * A database as it lies there, for whoever wants to know whether it is sound: read only, beside its owner or after
 * it, changing and repairing nothing. All of it is one moment of the database. Any call may throw what SQLite says
 * about a damaged file.
 */
export interface DatabaseInspection {
  readonly schemaVersion: number
  /** What SQLite itself finds wrong; empty = nothing. */
  integrity(): readonly string[]
  sessions(): Iterable<StoredSession>
  events(sessionId: SessionId): Iterable<StoredEvent>
  snapshot(sessionId: SessionId): Snapshot | undefined
  blobs(sessionId: SessionId): Iterable<{ readonly hash: string; readonly bytes: Uint8Array }>
  secrets(): Iterable<{ readonly sessionId: SessionId; readonly name: string; readonly sealed: Uint8Array }>
  /** Sessions that have events and no row of their own, although nobody deleted them. */
  orphans(): readonly SessionId[]
  /** Of keys in force. */
  keys(): readonly { readonly hash: string; readonly kind: string; readonly userId: UserId }[]
  /** The memories whose rows cannot be trusted. */
  damagedMemories(): readonly number[]
  /** The schedules of which the row, or that of one of their slots, cannot be trusted. */
  damagedSchedules(): readonly string[]
  close(): void
}

export interface StoredSession {
  readonly sessionId: SessionId
  readonly lastSeq: number
}

export interface StoredEvent extends EncodedEvent {
  readonly seq: number
  readonly at: number
}

const FIRST_WITH_MEMORIES = 4
const FIRST_WITH_SCHEDULES = 7

/** Throws when the file cannot be opened or is none of ours. */
export function inspectDatabase(file: string, now: number): DatabaseInspection {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 1_000, enableForeignKeyConstraints: false })
  try {
    const applicationId = integerIn(db.prepare('PRAGMA application_id').get() ?? {}, 'application_id')
    if (applicationId !== APPLICATION_ID) throw new Error(`${file} is not a Polylogue database.`)
    db.exec('BEGIN')
    return inspect(db, now)
  } catch (error) {
    db.close()
    throw error
  }
}

function inspect(db: DatabaseSync, now: number): DatabaseInspection {
  const selectSessions = db.prepare('SELECT session_id, last_seq FROM sessions ORDER BY session_id')
  const selectEvents = db.prepare(
    'SELECT seq, at, type, version, data, crc FROM events WHERE session_id = ? ORDER BY seq',
  )
  const selectSnapshot = db.prepare('SELECT seq, state FROM snapshots WHERE session_id = ?')
  const selectBlobs = db.prepare('SELECT hash, bytes FROM blobs WHERE session_id = ?')
  const selectSecrets = db.prepare('SELECT session_id, name, sealed FROM secrets')
  const selectOrphans = db.prepare(
    `SELECT DISTINCT session_id FROM events WHERE session_id NOT IN (SELECT session_id FROM sessions)
     AND session_id NOT IN (SELECT session_id FROM deleted_sessions)`,
  )
  const selectKeys = db.prepare(
    'SELECT hash, kind, user_id FROM keys WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)',
  )
  return {
    schemaVersion: schemaVersionOf(db),
    integrity() {
      try {
        const problems = db.prepare('PRAGMA integrity_check').all()
        return problems.map((row) => textIn(row, 'integrity_check')).filter((problem) => problem !== 'ok')
      } catch (error) {
        // Some damage stops the check itself.
        return [error instanceof Error ? error.message : String(error)]
      }
    },
    *sessions() {
      for (const row of selectSessions.iterate()) {
        yield { sessionId: asSessionId(textIn(row, 'session_id')), lastSeq: integerIn(row, 'last_seq') }
      }
    },
    *events(sessionId) {
      const checksums = checksumsIn(sessionId)
      for (const row of selectEvents.iterate(sessionId)) {
        const event: StoredEvent = {
          seq: integerIn(row, 'seq'),
          at: integerIn(row, 'at'),
          type: textIn(row, 'type'),
          version: integerIn(row, 'version'),
          data: textIn(row, 'data'),
        }
        yield event
        // Afterwards: what is wrong with the event itself says more than that it was changed.
        if (checksums.ofEvent(event) !== row['crc']) throw new Error(`the checksum of event ${event.seq} is wrong`)
      }
    },
    snapshot(sessionId) {
      const row = selectSnapshot.get(sessionId)
      return row && { seq: integerIn(row, 'seq'), state: textIn(row, 'state') }
    },
    *blobs(sessionId) {
      for (const row of selectBlobs.iterate(sessionId))
        yield { hash: textIn(row, 'hash'), bytes: bytesIn(row, 'bytes') }
    },
    *secrets() {
      for (const row of selectSecrets.iterate()) {
        yield {
          sessionId: asSessionId(textIn(row, 'session_id')),
          name: textIn(row, 'name'),
          sealed: bytesIn(row, 'sealed'),
        }
      }
    },
    orphans: () => selectOrphans.all().map((row) => asSessionId(textIn(row, 'session_id'))),
    keys: () =>
      selectKeys.all(now).map((row) => ({
        hash: textIn(row, 'hash'),
        kind: textIn(row, 'kind'),
        userId: asUserId(textIn(row, 'user_id')),
      })),
    damagedMemories() {
      // A file of an older schema has none.
      if (schemaVersionOf(db) < FIRST_WITH_MEMORIES) return []
      const rows = db.prepare('SELECT * FROM memories ORDER BY memory_id').iterate()
      return [...rows].filter((row) => !isSound(() => memoryIn(row))).map((row) => integerIn(row, 'memory_id'))
    },
    damagedSchedules() {
      if (schemaVersionOf(db) < FIRST_WITH_SCHEDULES) return []
      const idsOf = (table: string, read: (row: Row) => unknown): readonly string[] => {
        const rows = db.prepare(`SELECT * FROM ${table} ORDER BY schedule_id`).iterate()
        return [...rows].filter((row) => !isSound(() => read(row))).map((row) => textIn(row, 'schedule_id'))
      }
      return [...new Set([...idsOf('schedules', scheduleIn), ...idsOf('schedule_slots', slotIn)])]
    },
    close: () => db.close(),
  }
}

function isSound(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch (error) {
    if (error instanceof StorageFault) return false
    throw error
  }
}
