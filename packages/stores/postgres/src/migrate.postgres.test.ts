import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { asSessionId, asTurnId, asUserId, observeFailpoints, type Stores } from '@polylogue/engine'
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { MIGRATIONS } from './migrate.ts'
import { openPostgresStores } from './open-postgres-stores.ts'
import { createPostgresStorage } from './postgres-storage.ts'
import { createTestDatabase, type TestDatabase } from './test-support/test-database.ts'

const clock = { now: () => 0, setTimer: () => ({ cancel: () => undefined }) }
let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

const open = (url = database.url): Promise<Stores> => openPostgresStores({ url, clock })

it('cluster 17: six starts at once migrate once', async () => {
  const all = await Promise.all(Array.from({ length: 6 }, () => open()))
  expect(all.filter(({ isNew }) => isNew)).toHaveLength(1)
  expect(await database.query('SELECT version FROM polylogue.schema')).toEqual([{ version: MIGRATIONS.length }])
  await Promise.all(all.map((stores) => stores.close()))
})

it('cluster 18: a migration that is cut off leaves nothing, and the next start continues', async () => {
  await database.query('CREATE SCHEMA polylogue')
  await expect(open()).rejects.toThrow(
    'The database cannot be used: schema "polylogue" already exists. The first start makes it: drop it if it is empty.',
  )
  expect(await database.query("SELECT to_regclass('polylogue.sessions') AS it")).toEqual([{ it: null }])
  await database.query('DROP SCHEMA polylogue')
  const stores = await open()
  expect(stores.isNew).toBe(true)
  await stores.close()
})

it('cluster 18: a connection that dies after any of the migrations leaves nothing, and the next start makes all of it', async () => {
  const dieAfter = async (migration: number): Promise<void> => {
    let seen = 0
    observeFailpoints(async (name) => {
      if (name !== 'migrate' || ++seen !== migration) return
      await database.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      )
    })
    await expect(open()).rejects.toThrow('The database does not answer at the moment.')
    expect(seen).toBe(migration)
    expect(await database.query("SELECT to_regnamespace('polylogue') AS it")).toEqual([{ it: null }])
  }
  try {
    for (const [index] of MIGRATIONS.entries()) await dieAfter(index + 1)
  } finally {
    observeFailpoints(undefined)
  }
  const stores = await open()
  expect(stores.isNew).toBe(true)
  await stores.close()
})

/** The schema of the version before the last tables. */
async function forgetMarks(): Promise<void> {
  await (await open()).close()
  await database.query(`DROP TABLE polylogue.projection_marks;
    DROP FUNCTION polylogue.keep_marks; DROP FUNCTION polylogue.read_marks; DROP FUNCTION polylogue.count_turns;
    DROP TRIGGER forget_claims ON polylogue.sessions; DROP FUNCTION polylogue.forget_claims;
    ALTER TABLE polylogue.sessions DROP COLUMN claims;
    DROP FUNCTION polylogue.act_for; DROP FUNCTION polylogue.owner_of;
    DROP FUNCTION polylogue.has_room; ALTER TABLE polylogue.nodes DROP COLUMN room;
    DROP FUNCTION polylogue.purge_deleted; ALTER TABLE polylogue.deleted_sessions DROP COLUMN is_purged;
    DROP INDEX polylogue.listings_oldest, polylogue.sessions_wanted_by_user, polylogue.schedules_by_rules;
    UPDATE polylogue.schema SET version = 9`)
}

it('a migration that PostgreSQL ends because of a deadlock with a node is repeated', async () => {
  await forgetMarks()
  await database.query(`CREATE SEQUENCE public.times;
    CREATE FUNCTION public.end_migration() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('public.times') = 1 THEN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = 'deadlock_detected'; END IF;
    END $$;
    CREATE EVENT TRIGGER end_migration ON ddl_command_start EXECUTE FUNCTION public.end_migration()`)
  const stores = await open()
  expect(await stores.events.wantedSessions(1)).toEqual([])
  await stores.close()
  const [row] = await database.query(
    'SELECT version, (SELECT last_value FROM public.times) > 1 AS again FROM polylogue.schema',
  )
  expect(row).toEqual({ version: MIGRATIONS.length, again: true })
})

it('a migration that waits for a table holds up no node, and goes on when the other program has ended', async () => {
  const node = await open()
  await forgetMarks()
  const other = new pg.Client({ connectionString: database.url })
  await other.connect()
  await other.query('BEGIN; LOCK TABLE polylogue.sessions IN SHARE UPDATE EXCLUSIVE MODE')
  const migrated = open()
  const waiting = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'polylogue.sessions'::regclass"
  await expect.poll(async () => (await database.query(waiting)).length).toBe(1)
  const id = asSessionId('0190-other')
  const events = [{ type: 'turn.cancel-requested', turnId: asTurnId('turn_1'), reason: 'user' } as const]
  const create = { userId: asUserId('ada') }
  const made = await node.events.append({ sessionId: id, expectedSeq: 0, at: 1, events, wanted: false, create })
  expect(made).toMatchObject({ type: 'appended' })
  await other.query('COMMIT')
  await (await migrated).close()
  expect(await database.query('SELECT version FROM polylogue.schema')).toEqual([{ version: MIGRATIONS.length }])
  await other.end()
  await node.close()
})

it('cluster 19: a schema of a newer server is refused in a sentence', async () => {
  await (await open()).close()
  await database.query('UPDATE polylogue.schema SET version = 99')
  await expect(open()).rejects.toThrow(/^The database has version 99 of the schema.*Use a newer server\.$/)
})

it('cluster 20: a database that does not wait for its disk is refused in a sentence', async () => {
  const [row] = await database.query('SELECT current_database() AS name')
  await database.query(`ALTER DATABASE ${String(row?.['name'])} SET synchronous_commit = off`)
  await expect(open()).rejects.toThrow(/synchronous_commit=off.*set synchronous_commit=on\.$/)
})

it('cluster 22: neither a description nor an error repeats the password', async () => {
  const url = database.url.replace('postgres@', 'postgres:geheim@')
  const described = await createPostgresStorage(url, clock).describe()
  expect(described).toMatchObject({ url: expect.not.stringContaining('geheim'), exists: false, files: [] })
  const nowhere = createPostgresStorage('postgres://me:geheim@127.0.0.1:1/x', clock)
  await expect(nowhere.describe()).rejects.toThrow(
    /^The database 127\.0\.0\.1:1\/x cannot be reached: [^]*\. Start PostgreSQL, or correct the host and the port\.$/,
  )
  await expect(nowhere.describe()).rejects.not.toThrow('geheim')
  const withKey = createPostgresStorage('postgres://me@127.0.0.1:1/x?sslmode=require&sslkey=geheim', clock)
  await expect(withKey.describe()).rejects.toThrow(
    /^The database 127\.0\.0\.1:1\/x cannot be reached: the file of sslkey cannot be read \(ENOENT\)\. Correct the path/,
  )
  await expect(withKey.describe()).rejects.not.toThrow('geheim')
})

it('cluster 15: a role that is no superuser makes and uses the schema, and an older schema of a superuser is brought along', async () => {
  const role = `plain_${randomUUID().replaceAll('-', '')}`
  const [row] = await database.query('SELECT current_database() AS name')
  await database.query(`CREATE ROLE ${role} LOGIN; ALTER DATABASE ${String(row?.['name'])} OWNER TO ${role}`)
  const stores = await open(database.url.replace('postgres@', `${role}@`))
  expect(await stores.events.wantedSessions(1)).toEqual([])
  await stores.close()

  const oldSetting =
    "ALTER FUNCTION polylogue.wanted_sessions(int8) RESET xmlbinary; ALTER FUNCTION polylogue.wanted_sessions(int8) SET polylogue.system = 'on'"
  await database.query(oldSetting)
  await database.query(readFileSync(new URL('migrations/0007_plain_roles.sql', import.meta.url), 'utf8'))
  const asked = "SELECT proconfig FROM pg_proc WHERE oid = 'polylogue.wanted_sessions(int8)'::regprocedure"
  expect(await database.query(asked)).toEqual([{ proconfig: ['xmlbinary=hex'] }])
  await database.query(`REASSIGN OWNED BY ${role} TO postgres; DROP OWNED BY ${role}; DROP ROLE ${role}`)
})
