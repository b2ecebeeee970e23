import type { SqliteStores } from '@polylogue/store-sqlite'
import { OWNER } from '../workload/session-log.ts'

const MOST = 1_000_000

/** Everything that clients could ask of a store, to be compared as a whole. Rejects when any of it cannot be read. */
export async function readContent({ events, keys }: SqliteStores): Promise<unknown> {
  const sessions = await events.listSessions({ userId: OWNER, limit: MOST })
  const whole = []
  for (const { sessionId, summary } of sessions) {
    const log = await events.readEvents(sessionId, 0, MOST)
    const admitted = log.flatMap(({ event }) => (event.type === 'input.admitted' ? [event] : []))
    whole.push({
      sessionId,
      summary,
      head: await events.readHead(sessionId),
      log,
      snapshot: await events.readSnapshot(sessionId),
      secrets: await events.readSecrets(sessionId),
      inputs: admitted.length,
    })
  }
  const listed = await keys.listKeys()
  const found = await Promise.all(listed.map((_, index) => keys.findKey(`hash of ${index + 1}`)))
  return { sessions: whole, keys: listed, found }
}
