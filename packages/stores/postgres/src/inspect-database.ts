import { StorageFault, asSessionId, asUserId, type StorageInspection, type StoredEvent } from '@polylogue/engine'
import { bytesIn, checksumsIn, integerIn, memoryIn, scheduleIn, slotIn, textIn, type Row } from '@polylogue/store-rows'
import type pg from 'pg'
import { UNHURRIED, connect } from './connect.ts'
import { inspectShared } from './inspect-shared.ts'
import { readSchemaVersion, refuseNewer } from './migrate.ts'
import { toFault } from './postgres-fault.ts'

const PAGE = 500
/** The user is the first column of every key: without it, each session would read the whole table. */
const OF_SESSION = 'user_id = (SELECT user_id FROM polylogue.sessions WHERE session_id = $1) AND session_id = $1'

/** A consistent, read-only view. `now` decides which keys have expired. */
export async function inspectDatabase(url: string, now: number): Promise<StorageInspection> {
  const client = await connect(url)
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await client.query(`${UNHURRIED}; SET LOCAL polylogue.system = 'on'`)
    const schemaVersion = await readSchemaVersion(client)
    refuseNewer(schemaVersion)
    return inspect(client, { schemaVersion, now })
  } catch (error) {
    await client.end()
    throw toFault(error)
  }
}

function inspect(client: pg.Client, { schemaVersion, now }: { schemaVersion: number; now: number }): StorageInspection {
  const query = async (text: string, values: readonly unknown[] = []): Promise<readonly Row[]> => {
    try {
      return (await client.query<Record<string, unknown>>(text, [...values])).rows
    } catch (error) {
      throw toFault(error)
    }
  }
  /** Reads page by page, in the order of a text column. */
  async function* pages(text: string, column: string, values: readonly unknown[] = []): AsyncGenerator<Row> {
    for (let after: unknown = ''; ;) {
      const rows = await query(`${text} AND ${column} > $1 ORDER BY ${column} LIMIT ${PAGE}`, [after, ...values])
      yield* rows
      if (rows.length < PAGE) return
      after = rows.at(-1)?.[column]
    }
  }

  return {
    schemaVersion,
    integrity: async () => [],
    async *sessions() {
      for await (const row of pages('SELECT session_id, last_seq FROM polylogue.sessions WHERE true', 'session_id')) {
        yield { sessionId: asSessionId(textIn(row, 'session_id')), lastSeq: integerIn(row, 'last_seq') }
      }
    },
    async *events(sessionId) {
      const checksums = checksumsIn(sessionId)
      const text = `SELECT seq, at, type, version, data, crc FROM polylogue.events
        WHERE ${OF_SESSION} AND seq > $2 ORDER BY seq LIMIT ${PAGE}`
      for (let after = 0; ;) {
        const rows = await query(text, [sessionId, after])
        for (const row of rows) {
          const event = eventIn(row)
          yield event
          // Checked last, because a decoding error describes the damage better than a wrong checksum.
          if (checksums.ofEvent(event) !== row['crc']) throw new Error(`the checksum of event ${event.seq} is wrong`)
          after = event.seq
        }
        if (rows.length === 0) return
      }
    },
    async snapshot(sessionId) {
      const [row] = await query(`SELECT seq, state FROM polylogue.snapshots WHERE ${OF_SESSION}`, [sessionId])
      return row && { seq: integerIn(row, 'seq'), state: textIn(row, 'state') }
    },
    async *blobs(sessionId) {
      const hashes = await query(`SELECT hash FROM polylogue.blobs WHERE ${OF_SESSION}`, [sessionId])
      for (const { hash } of hashes) {
        const text = `SELECT hash, bytes FROM polylogue.blobs WHERE ${OF_SESSION} AND hash = $2`
        const [row = {}] = await query(text, [sessionId, hash])
        yield { hash: textIn(row, 'hash'), bytes: bytesIn(row, 'bytes') }
      }
    },
    async *secrets() {
      for (const row of await query('SELECT session_id, name, sealed FROM polylogue.secrets')) {
        const sessionId = asSessionId(textIn(row, 'session_id'))
        yield { sessionId, name: textIn(row, 'name'), sealed: bytesIn(row, 'sealed') }
      }
    },
    async orphans() {
      const text = `SELECT DISTINCT session_id FROM polylogue.events AS e
        WHERE NOT EXISTS (SELECT FROM polylogue.sessions AS s WHERE s.session_id = e.session_id)
          AND NOT EXISTS (SELECT FROM polylogue.deleted_sessions AS d WHERE d.session_id = e.session_id)`
      return (await query(text)).map((row) => asSessionId(textIn(row, 'session_id')))
    },
    async keys() {
      const text = `SELECT hash, kind, user_id FROM polylogue.keys
        WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1)`
      return (await query(text, [now])).map((row) => ({
        hash: textIn(row, 'hash'),
        kind: textIn(row, 'kind'),
        userId: asUserId(textIn(row, 'user_id')),
      }))
    },
    async damagedMemories() {
      const rows = await query('SELECT * FROM polylogue.memories ORDER BY memory_id')
      return rows.filter((row) => !isSound(() => memoryIn(row))).map((row) => integerIn(row, 'memory_id'))
    },
    async damagedSchedules() {
      const idsOf = async (table: string, read: (row: Row) => unknown): Promise<readonly string[]> => {
        const rows = await query(`SELECT * FROM polylogue.${table} ORDER BY schedule_id`)
        return rows.filter((row) => !isSound(() => read(row))).map((row) => textIn(row, 'schedule_id'))
      }
      const [schedules, slots] = [await idsOf('schedules', scheduleIn), await idsOf('schedule_slots', slotIn)]
      return [...new Set([...schedules, ...slots])]
    },
    shared: () => inspectShared(client, query),
    close: () => client.end(),
  }
}

const eventIn = (row: Row): StoredEvent => ({
  seq: integerIn(row, 'seq'),
  at: integerIn(row, 'at'),
  type: textIn(row, 'type'),
  version: integerIn(row, 'version'),
  data: textIn(row, 'data'),
})

function isSound(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch (error) {
    if (error instanceof StorageFault) return false
    throw error
  }
}
