import type { TurnFold } from './turn-fold.ts'

/** Where rows come from: a session as it is now, or as it was. */
export interface TurnSource {
  readonly id: string
  readonly fold: Pick<TurnFold, 'turn' | 'turns'>
  /** Nothing can be changed in the past. */
  readonly isPast: boolean
  childrenOf(toolCallId: string): readonly string[]
}
