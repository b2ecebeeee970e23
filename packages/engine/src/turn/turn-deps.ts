import type { EngineParts } from '../engine-parts.ts'
import type { Fence } from '../ports/event-store.ts'
import type { OpenSession } from '../session/open-session.ts'

/** One runner at work on one session. */
export interface RunDeps extends EngineParts {
  readonly session: OpenSession
  readonly fence: Fence
  /** Aborts with a `StopReason`. */
  readonly signal: AbortSignal
  /** Resolves when something was recorded that the runner did not record itself. */
  nudged(): Promise<void>
}

/**
 * Why a runner is told to stop. `cancel` ends the turn; `deadline` and `cancel-call` end one call or sub-agent; the
 * others leave the turn for the next owner.
 */
export type StopReason = 'cancel' | 'deadline' | 'cancel-call' | 'stopping' | 'fenced' | 'deleted'

/** The one call or sub-agent that was told to stop records its own end. */
export const isOwnEnd = (reason: StopReason | undefined): reason is 'deadline' | 'cancel-call' =>
  reason === 'deadline' || reason === 'cancel-call'

export function stopReasonOf(signal: AbortSignal): StopReason | undefined {
  return signal.aborted ? (signal.reason as StopReason) : undefined
}

/** Thrown through a runner that must leave its turn as it is. */
export class RunnerStopped extends Error {}
