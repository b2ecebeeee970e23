import { randomInt } from 'node:crypto'
import { StorageFault } from '@polylogue/engine'
import type pg from 'pg'
import { POOLED, processIdOf, withClient } from './connect.ts'
import { prepares } from './database.ts'
import { migrate, type Migrated } from './migrate.ts'
import { NO_PREPARED_STATEMENTS, isLostStatement } from './postgres-fault.ts'

/** The oldest version that the tests run on. */
const OLDEST = 150_000

export interface PreparedServer extends Migrated {
  /** The role that connects. */
  readonly user: string
}

/** Checks the server and brings the schema up to date. Rejects with one sentence when the server may not be used. */
export async function prepareServer(url: string): Promise<PreparedServer> {
  return withClient(url, async (client) => {
    const facts = await readFacts(client)
    if (facts.version < OLDEST) throw new StorageFault('broken', 'PostgreSQL 15 or newer is required.')
    if (facts.encoding !== 'UTF8') {
      const how = "Create one with ENCODING 'UTF8' (and TEMPLATE template0)."
      throw new StorageFault('broken', `The database stores text as ${facts.encoding}, which lacks characters. ${how}`)
    }
    if (facts.pid !== processIdOf(client)) throw new StorageFault('broken', POOLED)
    return { ...(await migrate(client)), user: facts.user }
  })
}

/** Rejects with one sentence when the pooler leads to another database: the nodes would find neither jobs nor messages. */
export async function checkSameDatabase(url: string, directUrl: string): Promise<void> {
  await withClient(directUrl, async (direct) => {
    const key = randomInt(2 ** 31)
    // It ends with the connection.
    await direct.query('SELECT pg_advisory_lock($1, $2)', [PROBE, key])
    const seen = await withClient({ url, isPooled: true }, (pooled) => pooled.query(SEES_LOCK, [PROBE, key]))
    if (seen.rows.length > 0) return
    throw new StorageFault('broken', '--database and --database-direct must lead to the same database.')
  })
}

/** `PLLP`. */
const PROBE = 0x504c4c50
const SEES_LOCK = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = $1::int4::oid AND objid = $2::int4::oid
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** Rejects with one sentence when the nodes cannot work through this pooler. */
export async function checkPooler(url: string, { user, role }: Pick<PreparedServer, 'user' | 'role'>): Promise<void> {
  if (role !== undefined) {
    const reason =
      'The role of --database may bypass row-level security, which a pooler cannot change: use a plain role.'
    throw new StorageFault('broken', reason)
  }
  const pooled = { url, isPooled: true }
  await withClient(pooled, async (client) => {
    const found = await readFacts(client)
    if (found.user === user) return
    throw new StorageFault('broken', '--database and --database-direct must name the same role.')
  })
  if (prepares(url) && !(await keepsStatements(pooled))) throw new StorageFault('broken', NO_PREPARED_STATEMENTS)
}

/** Two clients prepare the same name: on one connection of the pooler that fails, unless the pooler keeps them apart. */
async function keepsStatements(pooled: { readonly url: string; readonly isPooled: boolean }): Promise<boolean> {
  const statement = { name: 'polylogue_probe', text: 'SELECT 1' }
  try {
    await withClient(pooled, (one) =>
      withClient(pooled, async (other) => {
        for (const client of [one, other, one, other]) await client.query(statement)
      }),
    )
    return true
  } catch (error) {
    if (error instanceof StorageFault && isLostStatement(error.cause)) return false
    throw error
  }
}

interface Facts {
  readonly version: number
  readonly user: string
  readonly encoding: string
  readonly pid: number
}

async function readFacts(client: pg.Client): Promise<Facts> {
  const asked = `SELECT current_setting('server_version_num')::int AS version, current_user::text AS "user",
    current_setting('server_encoding') AS encoding, pg_backend_pid() AS pid`
  const [facts] = (await client.query<Facts & pg.QueryResultRow>(asked)).rows
  if (facts === undefined) throw new StorageFault('broken', 'The database says nothing about itself.')
  return facts
}
