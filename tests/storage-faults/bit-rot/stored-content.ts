import type { Stores } from '@polylogue/engine'
import { isDeepStrictEqual } from 'node:util'
import type { Played } from '../workload/check-stored.ts'
import { OWNER, pictureOf, sessionIdOf } from '../workload/session-log.ts'
import { readWholeLog } from '../../support/read-whole-log.ts'

const MOST = 1_000_000

/** Rejects when something cannot be read. */
export async function readContent({ events, keys, memories }: Stores, played: Played): Promise<StoredContent> {
  const sessions = []
  const optional: unknown[] = []
  const list = await events.listSessions({ userId: OWNER, limit: MOST })
  for (let session = 1; session <= played.sessions; session++) {
    const sessionId = sessionIdOf(session)
    const summary = list.find((row) => row.sessionId === sessionId)?.summary
    for (let turn = 1; turn <= played.turns; turn++) {
      const picture = pictureOf(session, turn)
      if (picture !== undefined) optional.push(await events.readBlob(sessionId, picture.hash))
    }
    const secrets = (await events.readSecrets(sessionId)).map(({ name }) => name)
    const log = await readWholeLog(events, sessionId)
    sessions.push({ sessionId, summary, head: await events.readHead(sessionId), log, secrets })
    optional.push(await events.readSnapshot(sessionId))
  }
  const listed = await keys.listKeys()
  const found = await Promise.all(listed.map((_, index) => keys.findKey(`hash of ${index + 1}`)))
  const remembered = await memories.listMemories(OWNER, { limit: MOST })
  return { exact: { list: list.length, sessions, keys: listed, found, remembered }, optional }
}

/** All readable content of a store. Sealed secrets are not compared, because their seal protects them. */
export interface StoredContent {
  /** Content that must be unchanged. */
  readonly exact: unknown
  /**
   * Content that may be missing but not altered: snapshots, which only save time, and attachments, whose absence the
   * log reveals.
   */
  readonly optional: readonly unknown[]
}

export function isSameContent(found: StoredContent, good: StoredContent): boolean {
  const isSameOrAbsent = (value: unknown, index: number): boolean =>
    value === undefined || isDeepStrictEqual(value, good.optional[index])
  return isDeepStrictEqual(found.exact, good.exact) && found.optional.every(isSameOrAbsent)
}
