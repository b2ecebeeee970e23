import { isDeepStrictEqual } from 'node:util'
import { evolve, readSnapshot, type SessionState } from '@polylogue/engine'
import type { SessionHistory, Violation } from './history.ts'

/** I7: the log folds at every prefix, no state loses anything on its way through JSON, and the snapshot is its fold. */
export function checkFold({ stored, snapshot }: SessionHistory): Violation[] {
  const violations: Violation[] = []
  let state: SessionState | undefined
  for (const recorded of stored) {
    try {
      state = evolve(state, recorded)
    } catch (error) {
      return [...violations, { invariant: 'I7', message: `the log does not fold at ${recorded.seq}: ${String(error)}` }]
    }
    if (recorded.seq !== snapshot?.seq) continue
    const kept = readSnapshot(snapshot.state)
    if (kept !== undefined && !isDeepStrictEqual(kept, JSON.parse(JSON.stringify(state)))) {
      violations.push({ invariant: 'I7', message: `the snapshot at ${snapshot.seq} is not the fold of the log` })
    }
  }
  if (snapshot !== undefined && snapshot.seq > stored.length) {
    violations.push({
      invariant: 'I7',
      message: `the snapshot is at ${snapshot.seq}, the log ends at ${stored.length}`,
    })
  }
  return violations
}
