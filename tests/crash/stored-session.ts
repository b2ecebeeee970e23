import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  asSessionId,
  type Clock,
  type Draft,
  type Recorded,
  type SessionId,
  type Snapshot,
  type Stores,
} from '@polylogue/engine'
import { openPostgresStores } from '@polylogue/store-postgres'
import { openSqliteStores } from '@polylogue/store-sqlite'
import { databaseOf } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { query } from '../support/test-database.ts'
import { readWholeLog } from '../support/read-whole-log.ts'

const clock: Clock = {
  now: () => Date.now(),
  setTimer(ms, run) {
    const timer = setTimeout(run, ms)
    return { cancel: () => clearTimeout(timer) }
  },
}

export interface StoredSession {
  readonly stored: readonly Recorded[]
  readonly snapshot?: Snapshot
  readonly drafts: readonly Draft[]
  readonly wanted: readonly SessionId[]
}

/** Reads the data directory of a dead server with the real store, as the next server would. */
export async function readStoredSession(dataDir: string, id: string): Promise<StoredSession> {
  const { events, close } = await openStoresOf(dataDir)
  try {
    const sessionId = asSessionId(id)
    const snapshot = await events.readSnapshot(sessionId)
    return {
      stored: await readWholeLog(events, sessionId),
      ...(snapshot && { snapshot }),
      drafts: await events.readDrafts(sessionId),
      wanted: await events.wantedSessions(10),
    }
  } finally {
    await close()
  }
}

async function openStoresOf(dataDir: string): Promise<Stores> {
  const database = await databaseOf(dataDir)
  if (database !== undefined) return openPostgresStores({ url: database.url, clock })
  return openSqliteStores({ file: join(dataDir, 'polylogue.db'), clock })
}

/**
 * Resolves when no session needs a runner. A node of a cluster takes over what a dead one left only after a lease has
 * ended, also in sessions that no client knows of.
 */
export async function untilAllRest(dataDir: string): Promise<void> {
  const shared = await databaseOf(dataDir)
  if (shared === undefined) return
  await eventually(async () => {
    const rows = await query(shared.url, 'SELECT FROM polylogue.sessions WHERE wanted_since IS NOT NULL')
    return rows.length === 0 ? true : undefined
  }, 'no session needs a runner')
}

/** The epoch of the session's last lease, which the store's interface does not expose. */
export async function readEpoch(dataDir: string, id: string): Promise<number> {
  const shared = await databaseOf(dataDir)
  if (shared !== undefined) {
    const [row] = await query(shared.url, 'SELECT epoch FROM polylogue.sessions WHERE session_id = $1', [id])
    return Number(row?.['epoch'] ?? 0)
  }
  const database = new DatabaseSync(join(dataDir, 'polylogue.db'), { readOnly: true })
  try {
    return Number(database.prepare('SELECT epoch FROM sessions WHERE session_id = ?').get(id)?.['epoch'] ?? 0)
  } finally {
    database.close()
  }
}
