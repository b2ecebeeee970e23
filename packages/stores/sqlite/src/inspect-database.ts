import { DatabaseSync } from 'node:sqlite'
import { StorageFault, asSessionId, asUserId, type StorageInspection, type StoredEvent } from '@polylogue/engine'
import { type Row, bytesIn, checksumsIn, integerIn, memoryIn, scheduleIn, slotIn, textIn } from '@polylogue/store-rows'
import { computedColumnsIn, foreignObjectsIn } from './foreign-objects.ts'
import { APPLICATION_ID } from './make-database.ts'
import { schemaVersionOf } from './migrate.ts'
import { isUnreadable } from './sqlite-fault.ts'

const FIRST_WITH_MEMORIES = 4
const FIRST_WITH_SCHEDULES = 7

/** `now` decides which keys have expired. */
export async function inspectDatabase(file: string, now: number): Promise<StorageInspection> {
  try {
    return openInspection(file, now)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    const message = `${file} is not a Polylogue database, or its first page is damaged.`
    throw new StorageFault('broken', message, { cause: error })
  }
}

function openInspection(file: string, now: number): StorageInspection {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 1_000, enableForeignKeyConstraints: false })
  try {
    const applicationId = integerIn(db.prepare('PRAGMA application_id').get() ?? {}, 'application_id')
    if (applicationId !== APPLICATION_ID) throw new StorageFault('broken', 'It carries the mark of another program.')
    db.exec('BEGIN')
    return inspect(db, now)
  } catch (error) {
    db.close()
    throw error
  }
}

function inspect(db: DatabaseSync, now: number): StorageInspection {
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
    async integrity() {
      try {
        const problems = db.prepare('PRAGMA integrity_check').all()
        const damage = problems.map((row) => textIn(row, 'integrity_check')).filter((problem) => problem !== 'ok')
        return [...foreignObjectsIn(db), ...computedColumnsIn(db), ...damage]
      } catch (error) {
        // Some damage stops the check itself.
        return [error instanceof Error ? error.message : String(error)]
      }
    },
    async *sessions() {
      for (const row of selectSessions.iterate()) {
        yield { sessionId: asSessionId(textIn(row, 'session_id')), lastSeq: integerIn(row, 'last_seq') }
      }
    },
    async *events(sessionId) {
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
        // Checked last, because a decoding error describes the damage better than a wrong checksum.
        if (checksums.ofEvent(event) !== row['crc']) throw new Error(`the checksum of event ${event.seq} is wrong`)
      }
    },
    async snapshot(sessionId) {
      const row = selectSnapshot.get(sessionId)
      return row && { seq: integerIn(row, 'seq'), state: textIn(row, 'state') }
    },
    async *blobs(sessionId) {
      for (const row of selectBlobs.iterate(sessionId))
        yield { hash: textIn(row, 'hash'), bytes: bytesIn(row, 'bytes') }
    },
    async *secrets() {
      for (const row of selectSecrets.iterate()) {
        yield {
          sessionId: asSessionId(textIn(row, 'session_id')),
          name: textIn(row, 'name'),
          sealed: bytesIn(row, 'sealed'),
        }
      }
    },
    orphans: async () => selectOrphans.all().map((row) => asSessionId(textIn(row, 'session_id'))),
    keys: async () =>
      selectKeys.all(now).map((row) => ({
        hash: textIn(row, 'hash'),
        kind: textIn(row, 'kind'),
        userId: asUserId(textIn(row, 'user_id')),
      })),
    async damagedMemories() {
      if (schemaVersionOf(db) < FIRST_WITH_MEMORIES) return []
      const rows = db.prepare('SELECT * FROM memories ORDER BY memory_id').iterate()
      return [...rows].filter((row) => !isSound(() => memoryIn(row))).map((row) => integerIn(row, 'memory_id'))
    },
    async damagedSchedules() {
      if (schemaVersionOf(db) < FIRST_WITH_SCHEDULES) return []
      const idsOf = (table: string, read: (row: Row) => unknown): readonly string[] => {
        const rows = db.prepare(`SELECT * FROM ${table} ORDER BY schedule_id`).iterate()
        return [...rows].filter((row) => !isSound(() => read(row))).map((row) => textIn(row, 'schedule_id'))
      }
      return [...new Set([...idsOf('schedules', scheduleIn), ...idsOf('schedule_slots', slotIn)])]
    },
    close: async () => db.close(),
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
