import type { EngineParts } from '../engine-parts.ts'
import type { Fence } from '../ports/event-store.ts'
import type { OpenSession } from '../session/open-session.ts'

/** A runner that works on one session. */
export interface RunDeps extends EngineParts {
  readonly session: OpenSession
  readonly fence: Fence
  /** Aborts with a `StopReason`. */
  readonly signal: AbortSignal
  /** Resolves when somebody other than the runner recorded something. */
  nudged(): Promise<void>
  /** Another process runs the turn now: what is open in it is not ours. */
  isReplaced(): boolean
}

/**
 * Why a runner must stop. `cancel` ends the turn. `deadline` and `cancel-call` end one call or sub-agent. The others
 * leave the turn to the next owner, which after `cut-off` may be this process again.
 */
export type StopReason = 'cancel' | 'deadline' | 'cancel-call' | 'stopping' | 'fenced' | 'cut-off' | 'deleted'

/** A single call or sub-agent that was stopped records its own end. */
export const isOwnEnd = (reason: StopReason | undefined): reason is 'deadline' | 'cancel-call' =>
  reason === 'deadline' || reason === 'cancel-call'

export function stopReasonOf(signal: AbortSignal): StopReason | undefined {
  return signal.aborted ? (signal.reason as StopReason) : undefined
}

/** Thrown through a runner that must leave its turn unchanged. */
export class RunnerStopped extends Error {}
