import { randomBytes } from 'node:crypto'
import type { EventStore, Stores } from '@polylogue/engine'
import { createFakeClock, type FakeClock } from '@polylogue/testkit'
import pg from 'pg'
import { inject } from 'vitest'
import { openPostgresStores } from '../open-postgres-stores.ts'

/** A database for one test file, on the server of this run. */
export interface TestDatabase {
  readonly url: string
  /** As a superuser. */
  query(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>
  drop(): Promise<void>
}

export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('postgresUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  await runOnce(server, `CREATE DATABASE ${name}`)
  const url = server.replace(/\/postgres$/, `/${name}`)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    url,
    query: async (text, values = []) => (await client.query<Record<string, unknown>>(text, [...values])).rows,
    async drop() {
      await client.end()
      await runOnce(server, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

async function runOnce(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(text)
  await client.end()
}

export interface TestStores {
  readonly stores: Stores
  readonly clock: FakeClock
  reopen(): Promise<Stores>
  close(): Promise<void>
}

/**
 * Empty stores whose leases use a fake clock: the time of the database is set from the clock before each call. The
 * tests of a file share the connections, unless they reopen the stores.
 */
export function createStoresOpener(): { open(): Promise<TestStores>; drop(): Promise<void> } {
  let clock = createFakeClock()
  let database: TestDatabase | undefined
  let opened: Stores | undefined
  const openOn = async ({ url }: TestDatabase): Promise<Stores> => {
    const current = { now: () => clock.now(), setTimer: (ms: number, run: () => void) => clock.setTimer(ms, run) }
    return openPostgresStores({ url, clock: current })
  }
  const prepare = async (): Promise<TestDatabase> => {
    if (database !== undefined) return database
    database = await createTestDatabase()
    opened = await openOn(database)
    await stopTheClock(database)
    return database
  }
  return {
    async open() {
      const base = await prepare()
      clock = createFakeClock()
      await empty(base)
      const withTime = (stores: Stores): Stores => ({ ...stores, events: keepTime(stores.events, base, clock) })
      return {
        stores: withTime((opened ??= await openOn(base))),
        clock,
        async reopen() {
          await opened?.close()
          opened = await openOn(base)
          return withTime(opened)
        },
        close: async () => undefined,
      }
    },
    async drop() {
      await opened?.close()
      await database?.drop()
    },
  }
}

async function stopTheClock(database: TestDatabase): Promise<void> {
  await database.query(`CREATE TABLE IF NOT EXISTS test_clock AS SELECT 0::int8 AS now;
    GRANT SELECT ON test_clock TO PUBLIC;
    CREATE OR REPLACE FUNCTION polylogue.now_ms() RETURNS int8 LANGUAGE sql VOLATILE AS
    'SELECT now FROM public.test_clock'`)
}

async function empty(database: TestDatabase): Promise<void> {
  const tables = await database.query(
    `SELECT tablename FROM pg_tables WHERE schemaname = 'polylogue' AND tablename <> 'schema' AND tablename NOT LIKE 'events\\_%'`,
  )
  await database.query(tables.map(({ tablename }) => `DELETE FROM polylogue.${String(tablename)}`).join('; '))
  await database.query('ALTER TABLE polylogue.memories ALTER COLUMN memory_id RESTART')
}

/** The methods that read the time. */
function keepTime(store: EventStore, database: TestDatabase, clock: FakeClock): EventStore {
  let told: number | undefined
  let telling: Promise<unknown> = Promise.resolve()
  const tell = (): Promise<unknown> => {
    if (told !== clock.now()) {
      told = clock.now()
      telling = database.query('UPDATE test_clock SET now = $1', [told])
    }
    return telling
  }
  return {
    ...store,
    append: (request) => {
      const copy = { ...request, events: [...request.events] }
      return tell().then(() => store.append(copy))
    },
    claim: (...args) => tell().then(() => store.claim(...args)),
    renew: (...args) => tell().then(() => store.renew(...args)),
    wantedSessions: (...args) => tell().then(() => store.wantedSessions(...args)),
  }
}
