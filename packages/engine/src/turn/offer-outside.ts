import type { ApprovalRequested, FailedAttempt, ToolCallSettled } from '../events/call-events.ts'
import { hashCall } from '../permission/grant.ts'
import { RUN_OUTSIDE } from '../permission/approval-reason.ts'
import type { GrantedCall } from '../ports/grant.ts'
import type { SessionState } from '../state/session-state.ts'
import type { StartedCall } from './start-calls.ts'
import type { RunDeps } from './turn-deps.ts'

/** The same call without a sandbox. */
export function toOutside({ network: _network, writes: _writes, ...call }: GrantedCall): GrantedCall {
  return { ...call, place: 'outside' }
}

/**
 * Asks whether a call that its sandbox has stopped may run again without one. `undefined`: nobody may be asked. Only the
 * user who runs the server is, in the mode that asks about commands, and not by a client that cannot show the reason.
 */
export function offerOutside(
  { turn, settings, userId }: SessionState,
  { settled, blocked, started }: StoppedCall,
  { operator, digest }: Pick<RunDeps, 'operator' | 'digest'>,
): ApprovalRequested | undefined {
  const { output, meta, durationMs, turnId, toolCallId } = settled
  const { grant } = started
  if (turn === undefined || turn.cancelled !== undefined || turn.settings.isUnattended === true) return undefined
  if (userId !== operator.ownUser || settings.preset !== 'workspace-write' || settings.access.type !== 'preset')
    return undefined
  if (typeof output !== 'string' || grant.call.place !== undefined || grant.call.isHarmless) return undefined
  const failed: FailedAttempt = { output, ...(meta && { meta }), ...(durationMs !== undefined && { durationMs }) }
  return {
    type: 'approval.requested',
    turnId,
    toolCallId,
    callHash: hashCall(toOutside(grant.call), digest),
    reason: `${RUN_OUTSIDE}:${blocked}`,
    isCoverable: false,
    offers: [],
    failed,
  }
}

export interface StoppedCall {
  readonly settled: ToolCallSettled
  /** What the sandbox stopped, as a sentence. */
  readonly blocked: string
  readonly started: StartedCall
}
