import { asSessionId, type StorageInspection } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openPostgresStores } from './open-postgres-stores.ts'
import { createPostgresStorage } from './postgres-storage.ts'
import { createTestDatabase, type TestDatabase } from './test-support/test-database.ts'

const clock = createFakeClock()
let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
  const stores = await openPostgresStores({ url: database.url, clock })
  await stores.close()
  await database.query("INSERT INTO polylogue.users (user_id, role, created_at, crc) VALUES ('ada', 'admin', 1, 1)")
})
afterEach(() => database.drop())

/** A table of a user whose rows take longer than a request may. */
const SLOW = `ALTER TABLE polylogue.users RENAME TO all_users;
  CREATE VIEW polylogue.users AS SELECT u.* FROM polylogue.all_users AS u, (SELECT pg_sleep(0.3) OFFSET 0) AS slow;
  ALTER TABLE polylogue.deleted_sessions RENAME TO all_deleted;
  CREATE VIEW polylogue.deleted_sessions AS SELECT u.* FROM polylogue.all_deleted AS u, (SELECT pg_sleep(0.3) OFFSET 0) AS slow`

it('reading everything, for a move or the doctor, may take longer than a request', async () => {
  await database.query(SLOW)
  await database.query("INSERT INTO polylogue.all_deleted VALUES ('ada', 's')")
  await database.query(`INSERT INTO polylogue.events VALUES ('ada', 's', 1, 1, 'x', 1, '{}', 1)`)
  const storage = createPostgresStorage(`${database.url}?options=-c%20statement_timeout%3D100`, clock)
  const tables = new Set<string>()
  for await (const { table } of storage.dump()) tables.add(table)
  expect([...tables]).toContain('users')
  const inspection = await storage.inspect()
  expect(await inspection.orphans()).toEqual([])
  await inspection.close()
})

it('reading the snapshot and the attachments of a session reads no others', async () => {
  await database.query(`INSERT INTO polylogue.sessions (user_id, session_id, last_seq, summary, summary_crc, stored_bytes, epoch)
      SELECT 'ada', 's' || n, 0, '', 0, 0, 0 FROM generate_series(1, 2000) AS n;
    INSERT INTO polylogue.snapshots SELECT 'ada', 's' || n, 1, '{}', 0 FROM generate_series(1, 2000) AS n;
    INSERT INTO polylogue.blobs SELECT 'ada', 's' || n, 'h', 'image/png', '\\x01', 0 FROM generate_series(1, 2000) AS n;
    ANALYZE`)
  const before = await rowsRead()
  const inspection = await createPostgresStorage(database.url, clock).inspect()
  expect(await inspection.snapshot(asSessionId('s7'))).toEqual({ seq: 1, state: '{}' })
  expect(await blobsOf(inspection, 's7')).toEqual(['h'])
  await inspection.close()
  await expect.poll(rowsRead).toEqual({ snapshots: before.snapshots + 1, blobs: before.blobs + 2 })
})

async function blobsOf(inspection: StorageInspection, sessionId: string): Promise<readonly string[]> {
  return (await Array.fromAsync(inspection.blobs(asSessionId(sessionId)))).map(({ hash }) => hash)
}

async function rowsRead(): Promise<{ snapshots: number; blobs: number }> {
  const text = `SELECT relname, (seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 AS read FROM pg_stat_user_tables
    WHERE relname IN ('snapshots', 'blobs')`
  const found = new Map((await database.query(text)).map((row) => [row['relname'], Number(row['read'])]))
  return { snapshots: found.get('snapshots') ?? 0, blobs: found.get('blobs') ?? 0 }
}

it('cluster 19: a schema of a newer server is not read', async () => {
  await database.query('UPDATE polylogue.schema SET version = 99')
  await expect(createPostgresStorage(database.url, clock).inspect()).rejects.toThrow(
    /^The database has version 99 of the schema.*Use a newer server\.$/,
  )
})
