import type {
  Clock,
  EventStore,
  KeyStore,
  MemoryStore,
  RuleStore,
  ScheduleStore,
  StorageFault,
  UsageStore,
} from '@polylogue/engine'
import { damaged } from './damage.ts'
import { createGroupCommit } from './group-commit.ts'
import { migrate } from './migrate.ts'
import { openDatabase } from './open-database.ts'
import { storageFaultOf } from './sqlite-fault.ts'
import { createSqliteEventStore } from './sqlite-event-store.ts'
import { createSqliteKeyStore } from './sqlite-key-store.ts'
import { createSqliteMemoryStore } from './sqlite-memory-store.ts'
import { createSqliteRuleStore } from './sqlite-rule-store.ts'
import { createSqliteScheduleStore } from './sqlite-schedule-store.ts'
import { createSqliteUsageStore } from './sqlite-usage-store.ts'
import { waitForLock } from './wait-for-lock.ts'

export interface SqliteStoresOptions {
  /** Its directory must exist. */
  readonly file: string
  readonly clock: Clock
  /** How long a write waits while another process holds the database, before it rejects as busy. */
  readonly busyWaitMs?: number
}

/** Stores over one connection: closing any of them closes the file. */
export interface SqliteStores {
  readonly events: EventStore
  readonly keys: KeyStore
  readonly rules: RuleStore
  readonly memories: MemoryStore
  readonly usage: UsageStore
  readonly schedules: ScheduleStore
  close(): Promise<void>
}

const BUSY_WAIT_MS = 5_000

/** Opens the file, or makes it, and brings its schema up to date. Rejects with one sentence when it may not be used. */
export async function openSqliteStores(options: SqliteStoresOptions): Promise<SqliteStores> {
  const { file, clock, busyWaitMs = BUSY_WAIT_MS } = options
  try {
    const db = await waitForLock(clock, busyWaitMs, () => openDatabase(file))
    try {
      await migrate(db, { clock, busyWaitMs })
      const commits = createGroupCommit({ db, clock, busyWaitMs })
      const events = createSqliteEventStore({ db, clock, commits })
      const keys = createSqliteKeyStore({ db, clock, commits })
      const rules = createSqliteRuleStore({ db, commits })
      const memories = createSqliteMemoryStore({ db, clock, commits })
      const usage = createSqliteUsageStore({ db, commits })
      const schedules = createSqliteScheduleStore({ db, commits })
      return { events, keys, rules, memories, usage, schedules, close: () => commits.close() }
    } catch (error) {
      db.close()
      throw error
    }
  } catch (error) {
    throw storageFaultOf(error) ?? damagedSchemaOf(error, file) ?? error
  }
}

/** Our statements are right, so one that a file refuses tells of the file. */
function damagedSchemaOf(error: unknown, file: string): StorageFault | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return damaged(`${file} does not have the tables it should have: ${error.message}.`, error)
}
