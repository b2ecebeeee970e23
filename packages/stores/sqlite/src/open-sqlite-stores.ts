import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Clock, Storage, StorageFault, Stores } from '@polylogue/engine'
import { damaged } from '@polylogue/store-rows'
import { createGroupCommit } from './group-commit.ts'
import { migrate } from './migrate.ts'
import { openDatabase } from './open-database.ts'
import { storageFaultOf } from './sqlite-fault.ts'
import { createSqliteEventStore } from './sqlite-event-store.ts'
import { createSqliteKeyStore } from './sqlite-key-store.ts'
import { createSqliteKeptStore } from './sqlite-kept-store.ts'
import { createSqliteMarkStore } from './sqlite-mark-store.ts'
import { createSqliteMemoryStore } from './sqlite-memory-store.ts'
import { createSqliteRuleStore } from './sqlite-rule-store.ts'
import { createSqliteScheduleStore } from './sqlite-schedule-store.ts'
import { createSqliteSignInStore } from './sqlite-sign-in-store.ts'
import { createSqliteStorage } from './sqlite-storage.ts'
import { createSqliteUsageStore } from './sqlite-usage-store.ts'
import { createSqliteUserStore } from './sqlite-user-store.ts'
import { waitForLock } from './wait-for-lock.ts'

export interface SqliteStoresOptions {
  /** Its directory must exist. */
  readonly file: string
  readonly clock: Clock
  /** How long a write waits while another process holds the database, before it rejects as busy. */
  readonly busyWaitMs?: number
}

const BUSY_WAIT_MS = 5_000

/** Opens the file, or creates it, and brings its schema up to date. Rejects with one sentence when it may not be used. */
export async function openSqliteStores(options: SqliteStoresOptions): Promise<Stores> {
  const { file, clock, busyWaitMs = BUSY_WAIT_MS } = options
  const isNew = !existsSync(file)
  try {
    const db = await waitForLock(clock, busyWaitMs, () => openDatabase(file))
    try {
      await migrate(db, { clock, busyWaitMs })
      return { ...createStores(db, { clock, busyWaitMs }), ...createSqliteStorage(file, clock), isNew }
    } catch (error) {
      db.close()
      throw error
    }
  } catch (error) {
    throw storageFaultOf(error) ?? damagedSchemaOf(error, file) ?? error
  }
}

/** All stores share one connection. */
function createStores(
  db: DatabaseSync,
  { clock, busyWaitMs }: { readonly clock: Clock; readonly busyWaitMs: number },
): Omit<Stores, 'isNew' | keyof Storage> {
  const commits = createGroupCommit({ db, clock, busyWaitMs })
  const parts = { db, clock, commits }
  const events = createSqliteEventStore(parts)
  return {
    mode: 'exclusive',
    events,
    keys: createSqliteKeyStore(parts),
    users: createSqliteUserStore(parts),
    rules: createSqliteRuleStore(parts),
    memories: createSqliteMemoryStore(parts),
    usage: createSqliteUsageStore(parts),
    schedules: createSqliteScheduleStore(parts),
    signIns: createSqliteSignInStore(parts),
    kept: createSqliteKeptStore(parts),
    marks: createSqliteMarkStore(parts),
    close: () => events.close(),
  }
}

/** Our statements are correct, so an error in one of them means that the file lacks what it should have. */
function damagedSchemaOf(error: unknown, file: string): StorageFault | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return damaged(`${file} does not have the tables it should have: ${error.message}.`, error)
}
