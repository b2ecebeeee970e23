/**
 * The schema version is SQLite's `user_version`: the number of migrations that ran. Each migration and its number share
 * one transaction, so a crash leaves the file before or after it, and the next run continues. A new database gets all
 * migrations in one transaction, because every commit waits for the disk.
 */
import { readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { failpoint, type Clock } from '@polylogue/engine'
import { integerIn } from '@polylogue/store-rows'
import { waitForLock } from './wait-for-lock.ts'

/** In the order of their numbers. Never edit a released migration; add a later one instead. */
export const MIGRATIONS = [
  '0001_events.sql',
  '0002_keys.sql',
  '0003_rules.sql',
  '0004_memories.sql',
  '0005_listings.sql',
  '0006_usage.sql',
  '0007_schedules.sql',
  '0008_sign_ins.sql',
  '0009_kept_sockets.sql',
  '0010_search.sql',
  '0011_sizes.sql',
  '0012_memory_origin.sql',
  '0013_users.sql',
  '0014_projection_marks.sql',
] as const

export function schemaVersionOf(db: DatabaseSync): number {
  return integerIn(db.prepare('PRAGMA user_version').get() ?? {}, 'user_version')
}

export interface MigrateOptions {
  readonly clock: Clock
  readonly busyWaitMs: number
  /** Stops at this version. */
  readonly upTo?: number
}

export async function migrate(db: DatabaseSync, options: MigrateOptions): Promise<void> {
  const { clock, busyWaitMs, upTo = MIGRATIONS.length } = options
  while (schemaVersionOf(db) < upTo) {
    await waitForLock(clock, busyWaitMs, () => db.exec('BEGIN IMMEDIATE'))
    try {
      // Read inside the transaction: another process may have been faster.
      const done = schemaVersionOf(db)
      const last = done === 0 ? upTo : done + 1
      for (const [index, migration] of MIGRATIONS.slice(0, last).entries()) {
        if (index < done) continue
        runMigration(db, migration, index + 1)
        await failpoint('migrate')
      }
      db.exec('COMMIT')
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw error
    }
  }
}

function runMigration(db: DatabaseSync, migration: string, version: number): void {
  db.exec(readFileSync(new URL(`migrations/${migration}`, import.meta.url), 'utf8'))
  db.exec(`PRAGMA user_version = ${version}`)
}
