import { canonicalJson, decodeEvent, evolve, readSnapshot, type JsonValue, type SessionState } from '@polylogue/engine'
import type { DatabaseInspection, StoredSession } from '@polylogue/store-sqlite'
import { sha256 } from '../platform/sha256.ts'

export interface SessionCensus {
  readonly sessions: number
  readonly events: number
  /** One sentence for each session that is not as it should be. */
  readonly problems: readonly string[]
}

/** Reads every log from its first event: contiguous, decodable, foldable, and at one with its snapshot. */
export function findBrokenSessions(inspection: DatabaseInspection): SessionCensus {
  const problems = inspection.orphans().map((sessionId) => `${sessionId} has events and no row`)
  let sessions = 0
  let events = 0
  for (const session of inspection.sessions()) {
    sessions += 1
    events += session.lastSeq
    const problem = problemOf(session, inspection)
    if (problem !== undefined) problems.push(`${session.sessionId}: ${problem}`)
  }
  return { sessions, events, problems }
}

function problemOf({ sessionId, lastSeq }: StoredSession, inspection: DatabaseInspection): string | undefined {
  try {
    const snapshot = inspection.snapshot(sessionId)
    let state: SessionState | undefined
    let seq = 0
    for (const row of inspection.events(sessionId)) {
      seq += 1
      if (row.seq !== seq) return `event ${seq} is missing`
      state = evolve(state, { seq, at: row.at, event: decodeEvent(row) })
      if (snapshot?.seq === seq && !isSame(state, snapshot.state))
        return `its snapshot at ${seq} differs from its events`
    }
    if (seq !== lastSeq) return `it should have ${lastSeq} events and has ${seq}`
    if (snapshot !== undefined && snapshot.seq > seq)
      return `its snapshot is of event ${snapshot.seq}, which is not there`
    for (const { hash, bytes } of inspection.blobs(sessionId)) {
      if (sha256(bytes) !== hash) return `an attachment is not what it was (${hash.slice(0, 12)})`
    }
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** A snapshot of another shape is not used, so it may say what it likes. */
function isSame(state: SessionState, stored: string): boolean {
  if (readSnapshot(stored) === undefined) return true
  return canonicalJson(parse(JSON.stringify(state))) === canonicalJson(parse(stored))
}

function parse(text: string): JsonValue {
  return JSON.parse(text) as JsonValue
}
