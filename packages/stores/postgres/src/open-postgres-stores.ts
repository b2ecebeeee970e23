import { StorageFault, type Clock, type Stores } from '@polylogue/engine'
import { textIn } from '@polylogue/store-rows'
import { openDatabase } from './database.ts'
import { checkPooler, checkSameDatabase, prepareServer } from './check-server.ts'
import { createBossDispatcher } from './boss-dispatcher.ts'
import { createHeavyReads } from './heavy-reads.ts'
import { createNotifyBus } from './notify-bus.ts'
import { createPostgresEventStore } from './postgres-event-store.ts'
import { createPostgresKeptStore } from './postgres-kept-store.ts'
import { createPostgresKeyStore } from './postgres-key-store.ts'
import { createPostgresMarkStore } from './postgres-mark-store.ts'
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
  /** The server itself, if a pooler of transactions answers at `url`: for LISTEN, jobs and migrations. */
  readonly directUrl?: string
  readonly clock: Clock
  readonly answerWithinMs?: number
}

/** Connects and brings the schema up to date. Rejects with one sentence when the database may not be used. */
export async function openPostgresStores(options: PostgresStoresOptions): Promise<Stores> {
  const { url, directUrl = url, clock, answerWithinMs } = options
  const isPooled = directUrl !== url
  const storage = createPostgresStorage(directUrl, clock)
  const { unsafe } = await storage.describe()
  if (unsafe !== undefined) throw new StorageFault('broken', unsafe)
  if (isPooled) await checkSameDatabase(url, directUrl)
  const { isNew, role, user } = await prepareServer(directUrl)
  if (isPooled) await checkPooler(url, { user, ...(role !== undefined && { role }) })
  const replacedListeners: (() => void)[] = []
  const db = openDatabase({
    url,
    isPooled,
    replaced: () => replacedListeners.forEach((listener) => listener()),
    ...(role !== undefined && { role }),
    ...(answerWithinMs !== undefined && { answerWithinMs }),
  })
  const heavy = createHeavyReads()
  const events = createPostgresEventStore(db, heavy)
  const keys = createPostgresKeyStore(db, clock)
  return {
    mode: 'shared',
    events,
    keys,
    users: createPostgresUserStore(db),
    rules: createPostgresRuleStore(db),
    memories: createPostgresMemoryStore(db, clock),
    usage: createPostgresUsageStore({ db, heavy, clock }),
    schedules: createPostgresScheduleStore(db),
    signIns: createPostgresSignInStore(db, clock),
    kept: createPostgresKeptStore(db, clock),
    marks: createPostgresMarkStore(db),
    cluster: {
      nodes: createPostgresNodes(db),
      async agree(setting, values) {
        const text = 'SELECT polylogue.agree($1, $2) AS has_agreed'
        return (await db.read({ text, values: [setting, values] }))[0]?.['has_agreed'] === true
      },
      async valuesOf(setting) {
        const text = 'SELECT unnest(known) AS value FROM polylogue.settings WHERE name = $1'
        return (await db.read({ text, values: [setting] })).map((row) => textIn(row, 'value'))
      },
      onReplaced: (listener) => void replacedListeners.push(listener),
      openBus: (nodeId) => createNotifyBus({ url: directUrl, nodeId, clock }),
      openDispatcher: (report) =>
        createBossDispatcher({ url: directUrl, db, report, ...(answerWithinMs !== undefined && { answerWithinMs }) }),
    },
    isNew,
    ...storage,
    async close() {
      await keys.flush().catch(() => undefined)
      await events.close()
    },
  }
}
