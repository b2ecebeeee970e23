import type { EventStore, Recorded } from '@polylogue/engine'
import { checkHistory } from '../../checker/check-history.ts'
import type { Acknowledgement } from '../../checker/history.ts'
import { OWNER, eventsOfSession, sessionIdOf } from './session-log.ts'
import { readWholeLog } from '../../support/read-whole-log.ts'

/** The output of a player before it was stopped. */
export interface Said {
  /** The last acknowledged seq of each session. */
  readonly acknowledged: ReadonlyMap<number, number>
  readonly deleting: ReadonlySet<number>
  readonly deleted: ReadonlySet<number>
}

export interface Played {
  readonly sessions: number
  /** The largest possible number of turns. */
  readonly turns: number
  readonly size: number
}

export function readSaid(lines: readonly string[]): Said {
  const acknowledged = new Map<number, number>()
  const deleting = new Set<number>()
  const deleted = new Set<number>()
  for (const line of lines) {
    const [word, session = '', seq = ''] = line.split(' ')
    if (word === 'ack') acknowledged.set(Number(session), Number(seq))
    else if (word === 'deleting') deleting.add(Number(session))
    else if (word === 'deleted') deleted.add(Number(session))
  }
  return { acknowledged, deleting, deleted }
}

/** Compares a recovered store with what its clients were told. Returns the problems. */
export async function checkStored(store: EventStore, said: Said, played: Played): Promise<readonly string[]> {
  const problems: string[] = []
  const listed = new Set((await store.listSessions({ userId: OWNER, limit: 1_000 })).map(({ sessionId }) => sessionId))
  for (let session = 1; session <= played.sessions; session++) {
    const tell = (problem: string): void => void problems.push(`session ${session}: ${problem}`)
    const id = sessionIdOf(session)
    const head = await store.readHead(id)
    if (listed.has(id) !== (head !== undefined)) tell('the list and the session disagree')
    const stored = await readWholeLog(store, id)
    if (stored.length !== (head?.lastSeq ?? 0)) tell(`${stored.length} events, but the head says ${head?.lastSeq}`)
    if (said.deleted.has(session) && head !== undefined) tell('it was deleted and is there')
    if (said.deleting.has(session) && head === undefined) continue
    for (const problem of await checkSession(store, { session, stored, said, played })) tell(problem)
  }
  return problems
}

interface Found {
  readonly session: number
  readonly stored: readonly Recorded[]
  readonly said: Said
  readonly played: Played
}

async function checkSession(store: EventStore, found: Found): Promise<readonly string[]> {
  const { session, stored, said, played } = found
  const expected = eventsOfSession(session, played.turns, played.size)
  const lastSeq = said.acknowledged.get(session) ?? 0
  const told = expected.slice(0, lastSeq)
  // Events that were stored but not acknowledged must also match the request.
  const seen = expected.slice(0, Math.max(lastSeq, stored.length)).map((event, index) => ({ seq: index + 1, event }))
  const snapshot = await store.readSnapshot(sessionIdOf(session))
  const violations = checkHistory({
    stored,
    ...(snapshot && { snapshot }),
    acknowledged: told.flatMap((event): Acknowledgement[] =>
      event.type === 'input.admitted' ? [{ type: 'input', text: String(event.content) }] : [],
    ),
    readers: [{ after: 0, isGapless: true, seen }],
    epochs: [],
    effects: [],
    toolEffects: {},
  })
  return violations.map(({ invariant, message }) => `${invariant} ${message}`)
}
