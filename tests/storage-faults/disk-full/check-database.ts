import { asUserId } from '@polylogue/engine'
import { openSqliteStores } from '@polylogue/store-sqlite'
import { join } from 'node:path'
import { checkHistory } from '../../checker/check-history.ts'
import { systemClock } from '../system-clock.ts'
import { readWholeLog } from '../../support/read-whole-log.ts'

/** Checks the logs of a dead server: contiguous, foldable and without partial writes. */
export async function checkDatabase(dataDir: string): Promise<readonly string[]> {
  const { events, close } = await openSqliteStores({ file: join(dataDir, 'polylogue.db'), clock: systemClock })
  try {
    const problems: string[] = []
    for (const { sessionId } of await events.listSessions({ userId: asUserId('local'), limit: 10_000 })) {
      const stored = await readWholeLog(events, sessionId)
      const snapshot = await events.readSnapshot(sessionId)
      const seen = { acknowledged: [], readers: [], epochs: [], effects: [], toolEffects: {} }
      for (const { invariant, message } of checkHistory({ stored, ...(snapshot && { snapshot }), ...seen })) {
        problems.push(`${sessionId}: ${invariant} ${message}`)
      }
    }
    return problems
  } finally {
    await close()
  }
}
