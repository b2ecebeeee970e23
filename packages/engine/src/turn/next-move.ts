import {
  childOf,
  isWaitingForAnswer,
  openCallsIn,
  type ActiveTurn,
  type LoopProgress,
  type OpenCall,
} from '../state/session-state.ts'

export type Move =
  | 'ask-model'
  | 'settle-tool-calls'
  | 'wait-for-human'
  | 'give-output'
  | 'stop-without-output'
  | 'stop-cancelled'
  | 'stop-at-budget'
  | 'stop-at-limit'

/** How often a model that must return a value is reminded. */
const MOST_REPAIRS = 2

/**
 * The complete policy of a turn, for the agent's own loop and for sub-agents. Pure: the same turn always gets the same
 * move.
 */
export function nextMove(turn: ActiveTurn, limits: { readonly maxSteps: number }, loop: LoopProgress = turn): Move {
  if (turn.cancelled !== undefined) return 'stop-cancelled'
  if (turn.budget.stopped !== undefined) return 'stop-at-budget'
  const open = openCallsIn(loop)
  if (open.some((call) => canGoOn(turn, call))) return 'settle-tool-calls'
  if (open.length > 0) return 'wait-for-human'
  if (loop === turn || !('parentToolCallId' in loop)) {
    if (turn.output !== undefined) return 'give-output'
    if (turn.vainOutputs > MOST_REPAIRS) return 'stop-without-output'
  }
  // A loop has asked whether the turn may exceed its budget, and all loops wait for the answer.
  if (turn.budget.asked !== undefined) return 'wait-for-human'
  return loop.answeredSteps >= limits.maxSteps ? 'stop-at-limit' : 'ask-model'
}

/** A sub-agent's call is running as long as anything below it is running. */
export function canGoOn(turn: ActiveTurn, call: OpenCall): boolean {
  if (isWaitingForAnswer(call) || turn.budget.stopped !== undefined) return false
  const child = childOf(turn, call.toolCallId)
  return child === undefined || nextMove(turn, { maxSteps: Infinity }, child) !== 'wait-for-human'
}
