import { StorageFault, type Clock, type Stores } from '@polylogue/engine'
import { withClient } from './connect.ts'
import { openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { createBossDispatcher } from './boss-dispatcher.ts'
import { createNotifyBus } from './notify-bus.ts'
import { createPostgresEventStore } from './postgres-event-store.ts'
import { createPostgresKeptStore } from './postgres-kept-store.ts'
import { createPostgresKeyStore } from './postgres-key-store.ts'
import { createPostgresMemoryStore } from './postgres-memory-store.ts'
import { createPostgresNodes } from './postgres-nodes.ts'
import { createPostgresRuleStore } from './postgres-rule-store.ts'
import { createPostgresScheduleStore } from './postgres-schedule-store.ts'
import { createPostgresSignInStore } from './postgres-sign-in-store.ts'
import { createPostgresStorage } from './postgres-storage.ts'
import { createPostgresUsageStore } from './postgres-usage-store.ts'
import { createPostgresUserStore } from './postgres-user-store.ts'

export interface PostgresStoresOptions {
  /** `postgres://user:password@host/database`. */
  readonly url: string
  readonly clock: Clock
  readonly answerWithinMs?: number
}

/** The oldest version that the tests run on. */
const OLDEST = 150_000

/** Connects and brings the schema up to date. Rejects with one sentence when the database may not be used. */
export async function openPostgresStores(options: PostgresStoresOptions): Promise<Stores> {
  const { url, clock, answerWithinMs } = options
  const storage = createPostgresStorage(url, clock)
  const { unsafe } = await storage.describe()
  if (unsafe !== undefined) throw new StorageFault('broken', unsafe)
  const { isNew, role } = await withClient(url, async (client) => {
    const { rows } = await client.query<Record<string, unknown>>(
      "SELECT current_setting('server_version_num')::int AS it",
    )
    if (Number(rows[0]?.['it']) < OLDEST) throw new StorageFault('broken', 'PostgreSQL 15 or newer is required.')
    return migrate(client)
  })
  const replacedListeners: (() => void)[] = []
  const db = openDatabase({
    url,
    replaced: () => replacedListeners.forEach((listener) => listener()),
    ...(role !== undefined && { role }),
    ...(answerWithinMs !== undefined && { answerWithinMs }),
  })
  const events = createPostgresEventStore(db)
  const keys = createPostgresKeyStore(db, clock)
  return {
    mode: 'shared',
    events,
    keys,
    users: createPostgresUserStore(db),
    rules: createPostgresRuleStore(db),
    memories: createPostgresMemoryStore(db, clock),
    usage: createPostgresUsageStore(db),
    schedules: createPostgresScheduleStore(db),
    signIns: createPostgresSignInStore(db, clock),
    kept: createPostgresKeptStore(db, clock),
    cluster: {
      nodes: createPostgresNodes(db),
      onReplaced: (listener) => void replacedListeners.push(listener),
      openBus: (nodeId) => createNotifyBus({ url, nodeId, clock }),
      openDispatcher: (report) => createBossDispatcher({ url, db, report }),
    },
    isNew,
    ...storage,
    async close() {
      await keys.flush().catch(() => undefined)
      await events.close()
    },
  }
}
