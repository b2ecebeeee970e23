import {
  canonicalJson,
  decodeEvent,
  evolve,
  readSnapshot,
  type JsonValue,
  type SessionState,
  type StorageInspection,
  type StoredSession,
} from '@polylogue/engine'
import { sha256 } from '../platform/sha256.ts'

export interface SessionCensus {
  readonly sessions: number
  readonly events: number
  /** One sentence for each broken session. */
  readonly problems: readonly string[]
}

/** Checks that every log is contiguous, decodable and foldable, and agrees with its snapshot. */
export async function findBrokenSessions(inspection: StorageInspection): Promise<SessionCensus> {
  const problems = (await inspection.orphans()).map((sessionId) => `${sessionId} has events and no row`)
  let sessions = 0
  let events = 0
  for await (const session of inspection.sessions()) {
    sessions += 1
    events += session.lastSeq
    const problem = await problemOf(session, inspection)
    if (problem !== undefined) problems.push(`${session.sessionId}: ${problem}`)
  }
  return { sessions, events, problems }
}

async function problemOf(
  { sessionId, lastSeq }: StoredSession,
  inspection: StorageInspection,
): Promise<string | undefined> {
  try {
    const snapshot = await inspection.snapshot(sessionId)
    let state: SessionState | undefined
    let seq = 0
    for await (const row of inspection.events(sessionId)) {
      seq += 1
      if (row.seq !== seq) return `event ${seq} is missing`
      state = evolve(state, { seq, at: row.at, event: decodeEvent(row) })
      if (snapshot?.seq === seq && !isSame(state, snapshot.state))
        return `its snapshot at ${seq} differs from its events`
    }
    if (seq !== lastSeq) return `it should have ${lastSeq} events and has ${seq}`
    if (snapshot !== undefined && snapshot.seq > seq)
      return `its snapshot is of event ${snapshot.seq}, which is not there`
    for await (const { hash, bytes } of inspection.blobs(sessionId)) {
      if (sha256(bytes) !== hash) return `an attachment is not what it was (${hash.slice(0, 12)})`
    }
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The engine ignores a snapshot of another shape, so its content does not matter. */
function isSame(state: SessionState, stored: string): boolean {
  if (readSnapshot(stored) === undefined) return true
  return canonicalJson(parse(JSON.stringify(state))) === canonicalJson(parse(stored))
}

function parse(text: string): JsonValue {
  return JSON.parse(text) as JsonValue
}
