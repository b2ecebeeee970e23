import type { LoopId, TurnId } from '../ids.ts'
import type { AnyLoop } from '../state/session-state.ts'
import type { AgentLine } from './loop-agents.ts'

/** Where in a session something happens. */
export interface LoopPlace {
  readonly turnId: TurnId
  readonly loopId: LoopId
}

/** A loop as it was at the beginning of a round of its turn, with the agents that act in it. */
export interface LoopRound {
  /** Absent: a compaction between turns. */
  readonly turnId?: TurnId
  readonly loop: AnyLoop
  readonly line: AgentLine
}

/** A round of a loop in a running turn. */
export type TurnRound = LoopRound & { readonly turnId: TurnId }
