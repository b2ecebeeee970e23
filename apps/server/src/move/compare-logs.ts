import type { SessionId, Storage, StorageInspection } from '@polylogue/engine'
import { createHash } from 'node:crypto'
import { EXIT_FAILURE, ServeError } from '../serve-error.ts'

export interface LogCensus {
  readonly sessions: number
  readonly events: number
}

/** Reads all events of both storages. Rejects when a session is in one of them only, or has another log in the other. */
export async function compareLogs(
  one: Storage,
  other: Storage,
  onProgress?: (events: number) => void,
): Promise<LogCensus> {
  const [left, right] = [await one.inspect(), await other.inspect()]
  try {
    const rest = new Map<SessionId, number>()
    for await (const { sessionId, lastSeq } of right.sessions()) rest.set(sessionId, lastSeq)
    let [sessions, events] = [0, 0]
    onProgress?.(events)
    for await (const { sessionId, lastSeq } of left.sessions()) {
      if (!rest.delete(sessionId) || (await digestOf(left, sessionId)) !== (await digestOf(right, sessionId)))
        throw differs(sessionId)
      sessions += 1
      events += lastSeq
      onProgress?.(events)
    }
    const [extra] = rest.keys()
    if (extra !== undefined) throw differs(extra)
    return { sessions, events }
  } finally {
    await Promise.all([left.close(), right.close()])
  }
}

async function digestOf(inspection: StorageInspection, sessionId: SessionId): Promise<string> {
  const hash = createHash('sha256')
  for await (const { seq, at, type, version, data } of inspection.events(sessionId))
    hash.update(`${JSON.stringify([seq, at, type, version, data])}\n`)
  return hash.digest('hex')
}

const differs = (sessionId: SessionId): ServeError =>
  new ServeError(
    `The logs of session ${sessionId} differ. Stop all nodes that use either database, empty the target, and try again.`,
    EXIT_FAILURE,
  )
