import type { RecordedEvent } from '../events/recorded-event.ts'
import type { ToolCallSettled } from '../events/call-events.ts'
import type { ToolCallId } from '../ids.ts'
import { stepEndIfSettled, turnResumed } from './decide-answers.ts'
import { findOpenCall, isWaitingForAnswer, loopsOf, type ActiveTurn } from '../state/session-state.ts'

/** Does nothing if the call is not open or was already asked to stop. */
export function decideCancelCall(
  turn: ActiveTurn | undefined,
  toolCallId: ToolCallId,
  reason: string,
): RecordedEvent[] {
  const call = findOpenCall(turn, toolCallId)
  if (turn === undefined || call === undefined || call.cancelled !== undefined) return []
  const { turnId } = turn
  if (!isWaitingForAnswer(call)) return [{ type: 'tool-call.cancel-requested', turnId, toolCallId, reason }]
  const output = `Tool call cancelled: ${reason}`
  const settled: ToolCallSettled = {
    type: 'tool-call.settled',
    turnId,
    toolCallId,
    status: 'cancelled',
    output,
    by: 'engine',
  }
  const resumed: RecordedEvent[] = turn.status === 'waiting' ? [turnResumed(turn)] : []
  return [...resumed, settled, ...loopsOf(turn).flatMap(({ loopId }) => stepEndIfSettled(turn, [settled], loopId))]
}
