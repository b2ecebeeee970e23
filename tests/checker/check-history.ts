import { checkAcknowledged } from './check-acknowledged.ts'
import { checkCalls } from './check-calls.ts'
import { checkFold } from './check-fold.ts'
import { checkPairing } from './check-pairing.ts'
import { checkReaders } from './check-readers.ts'
import { checkTurns } from './check-turns.ts'
import type { SessionHistory, Violation } from './history.ts'

/** One judgement over everything that was seen of a session. Empty: all invariants held. */
export function checkHistory(history: SessionHistory): readonly Violation[] {
  return [
    ...checkSequence(history),
    ...checkAcknowledged(history),
    ...checkReaders(history),
    ...checkTurns(history),
    ...checkCalls(history),
    ...checkFold(history),
    ...checkPairing(history),
  ]
}

/** I3: seqs are contiguous from 1. */
function checkSequence({ stored }: SessionHistory): Violation[] {
  return stored.flatMap(({ seq }, index): Violation[] =>
    seq === index + 1 ? [] : [{ invariant: 'I3', message: `event ${index + 1} of the log has seq ${seq}` }],
  )
}
