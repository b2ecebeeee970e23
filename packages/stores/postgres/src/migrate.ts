/**
 * The schema version is the number of migrations that ran. They run in one transaction under an advisory lock. When
 * several nodes start at once, one of them migrates and the others wait.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { StorageFault, failpoint } from '@polylogue/engine'
import type pg from 'pg'
import { codeOf, isRepeatable } from './postgres-fault.ts'

/** In the order of their numbers. Never edit a released migration; add a later one instead. */
export const MIGRATIONS = [
  '0001_tables.sql',
  '0002_functions.sql',
  '0003_nodes.sql',
  '0004_users.sql',
  '0005_dispatch.sql',
  '0006_places.sql',
  '0007_plain_roles.sql',
  '0008_settings.sql',
  '0009_levels.sql',
  '0010_projection_marks.sql',
  '0011_count_turns.sql',
  '0012_room.sql',
  '0013_indexes.sql',
  '0014_purge.sql',
  '0015_own_rows.sql',
  '0016_parked.sql',
] as const

/** `PLLG`. */
const LOCK = 0x504c4c47
/**
 * Whoever wants a table waits behind a migration that waits for it: nodes of the version before would stand still. So a migration that
 * does not get a table lets them go on, and tries again.
 */
const LOCK_WITHIN_MS = 1_000
const TRY_AGAIN_MS = 1_000
const TRY_FOR_MS = 60_000
const LOCK_TIMEOUT = '55P03'
/** Owns nothing and cannot bypass row-level security. Used if the connecting role can bypass it. */
export const PLAIN_ROLE = 'polylogue_plain'

export interface Migrated {
  readonly isNew: boolean
  /** The role of all later statements. Default: the role that connects. */
  readonly role?: string
}

export async function migrate(client: pg.Client): Promise<Migrated> {
  const giveUpAt = performance.now() + TRY_FOR_MS
  for (;;) {
    try {
      return await migrateOnce(client)
    } catch (error) {
      const isLocked = codeOf(error) === LOCK_TIMEOUT
      if (!isLocked && !isRepeatable(error)) throw error
      if (performance.now() > giveUpAt) throw new StorageFault('busy', KEPT_AWAY, { cause: error })
      if (isLocked) await sleep(TRY_AGAIN_MS)
    }
  }
}

const KEPT_AWAY =
  'The schema of the database cannot be brought up to date: other programs, such as pg_dump, have kept its tables for a minute. Start again when they have ended.'

async function migrateOnce(client: pg.Client): Promise<Migrated> {
  await client.query('BEGIN')
  try {
    await client.query('SET LOCAL lock_timeout = 0')
    await client.query('SET LOCAL statement_timeout = 0')
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    await client.query(`SET LOCAL lock_timeout = ${LOCK_WITHIN_MS}`)
    const before = await readSchemaVersion(client)
    refuseNewer(before)
    if (before === 0)
      await client.query('CREATE SCHEMA polylogue; CREATE TABLE polylogue.schema (version int4 NOT NULL)')
    for (const migration of MIGRATIONS.slice(before)) {
      await client.query(readFileSync(new URL(`migrations/${migration}`, import.meta.url), 'utf8'))
      await failpoint('migrate')
    }
    if (before < MIGRATIONS.length) {
      await client.query('DELETE FROM polylogue.schema')
      await client.query('INSERT INTO polylogue.schema (version) VALUES ($1)', [MIGRATIONS.length])
    }
    const role = await preparePlainRole(client, before < MIGRATIONS.length)
    await client.query('COMMIT')
    return { isNew: before === 0, ...(role !== undefined && { role }) }
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}

export function refuseNewer(version: number): void {
  if (version <= MIGRATIONS.length) return
  const known = `this server knows ${MIGRATIONS.length}`
  throw new StorageFault(
    'broken',
    `The database has version ${version} of the schema, and ${known}. Use a newer server.`,
  )
}

/** 0 if there is no schema. */
export async function readSchemaVersion(client: pg.Client): Promise<number> {
  if (!(await isTrue(client, "SELECT to_regclass('polylogue.schema') IS NOT NULL AS it"))) return 0
  const found = await client.query<{ version: number | null }>('SELECT max(version) AS version FROM polylogue.schema')
  return found.rows[0]?.version ?? 0
}

async function preparePlainRole(client: pg.Client, isChanged: boolean): Promise<string | undefined> {
  const asked = 'SELECT rolsuper OR rolbypassrls AS it FROM pg_roles WHERE rolname = current_user'
  if (!(await isTrue(client, asked))) return undefined
  const known = "SELECT has_schema_privilege(rolname, 'polylogue', 'USAGE') AS it FROM pg_roles WHERE rolname = $1"
  if (!isChanged && (await isTrue(client, known, [PLAIN_ROLE]))) return PLAIN_ROLE
  // Roles belong to the whole server, so another database may be creating the same role.
  await client.query(`DO $$ BEGIN
    CREATE ROLE ${PLAIN_ROLE} NOLOGIN;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`)
  await client.query(`GRANT USAGE ON SCHEMA polylogue TO ${PLAIN_ROLE}`)
  await client.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA polylogue TO ${PLAIN_ROLE}`)
  await client.query(`GRANT USAGE ON ALL SEQUENCES IN SCHEMA polylogue TO ${PLAIN_ROLE}`)
  return PLAIN_ROLE
}

/** Runs a query for one column `it`. */
async function isTrue(client: pg.Client, text: string, values: readonly unknown[] = []): Promise<boolean> {
  return (await client.query<{ it: boolean | null }>(text, [...values])).rows[0]?.it === true
}
