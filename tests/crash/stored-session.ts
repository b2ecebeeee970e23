import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { asSessionId, type Clock, type Draft, type Recorded, type SessionId, type Snapshot } from '@polylogue/engine'
import { openSqliteStores } from '@polylogue/store-sqlite'

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
  const { events, close } = await openSqliteStores({ file: join(dataDir, 'polylogue.db'), clock })
  try {
    const sessionId = asSessionId(id)
    const snapshot = await events.readSnapshot(sessionId)
    return {
      stored: await events.readEvents(sessionId, 0, 10_000),
      ...(snapshot && { snapshot }),
      drafts: await events.readDrafts(sessionId),
      wanted: await events.wantedSessions(10),
    }
  } finally {
    await close()
  }
}

/** The epoch of the session's last lease, which the store's interface does not expose. */
export function readEpoch(dataDir: string, id: string): number {
  const database = new DatabaseSync(join(dataDir, 'polylogue.db'), { readOnly: true })
  try {
    return Number(database.prepare('SELECT epoch FROM sessions WHERE session_id = ?').get(id)?.['epoch'] ?? 0)
  } finally {
    database.close()
  }
}
