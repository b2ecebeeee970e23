import type { ToolCallSettled } from '../events/call-events.ts'
import type { TurnId } from '../ids.ts'
import type { OpenCall } from '../state/session-state.ts'

/** The result of a call that failed in its sandbox and does not run again without one. */
export function failedAttemptOf(
  { toolCallId, approval, phase }: OpenCall,
  turnId: TurnId,
): ToolCallSettled | undefined {
  if (approval?.failed === undefined || phase !== 'awaiting-approval') return undefined
  return { type: 'tool-call.settled', turnId, toolCallId, status: 'failed', ...approval.failed, by: 'tool' }
}
