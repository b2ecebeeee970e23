import { isWaitingForAnswer, openCallsOf, type ActiveTurn } from '../session/state.ts'

export type Move = 'ask-model' | 'settle-tool-calls' | 'wait-for-human' | 'stop-cancelled' | 'stop-at-limit'

/** The whole policy of a turn. Pure: the same turn always gets the same move, also after a crash. */
export function nextMove(turn: ActiveTurn, limits: { readonly maxSteps: number }): Move {
  if (turn.cancelled !== undefined) return 'stop-cancelled'
  const open = openCallsOf(turn)
  if (open.some((call) => !isWaitingForAnswer(call))) return 'settle-tool-calls'
  if (open.length > 0) return 'wait-for-human'
  return turn.answeredSteps >= limits.maxSteps ? 'stop-at-limit' : 'ask-model'
}
