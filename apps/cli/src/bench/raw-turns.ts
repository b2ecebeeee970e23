import { ADMITTED, ENDED, commitTogether } from './least-store.ts'

const GROUP = 32
const FOR_MS = 200
const ids = Array.from({ length: GROUP }, () => crypto.randomUUID())
let isMade = false

/** Turns per second when only the two commits of a plain turn run, for 32 sessions at a time and without requests. */
export function measureRawTurns(): number {
  const commit = (events: () => readonly string[]): void => commitTogether(ids.map((id) => ({ id, events: events() })))
  if (!isMade) commit(() => [])
  isMade = true
  const startedAt = performance.now()
  let turns = 0
  for (; performance.now() - startedAt < FOR_MS; turns += GROUP) {
    commit(() => ADMITTED('say ok'))
    commit(ENDED)
  }
  return (turns * 1000) / (performance.now() - startedAt)
}
