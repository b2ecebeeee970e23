import type { CallOutput } from './call-output.ts'
import type { CallStarts } from './call-starts.ts'
import type { SessionHeadline } from './open-session.ts'
import type { TurnFold } from './turn-fold.ts'

/** Where rows come from: a session as it is now, or as it was. */
export interface TurnSource {
  readonly id: string
  readonly fold: Pick<TurnFold, 'turn' | 'turns'>
  /** Nothing can be changed in the past, or by a guest. */
  readonly mayChange: boolean
  /** What running calls print. Absent in the past. */
  readonly output?: Pick<CallOutput, 'textOf'>
  /** When running calls began. Absent in the past. */
  readonly starts?: Pick<CallStarts, 'of' | 'read'>
  /** In the past, what was spent until then. */
  readonly head?: Pick<SessionHeadline, 'spent'>
  childrenOf(toolCallId: string): readonly string[]
}
