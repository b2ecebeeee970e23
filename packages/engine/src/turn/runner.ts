import type { EngineParts } from '../engine-parts.ts'
import type { TurnId } from '../ids.ts'
import type { Fence } from '../ports/event-store.ts'
import type { OpenSession } from '../session/open-session.ts'
import type { RunDeps } from './turn-deps.ts'

/** The work on one session in this process. */
export interface Runner {
  readonly session: OpenSession
  done: Promise<void>
  /** Absent until the session is claimed. */
  fence?: Fence
  /** The state holds all that was recorded before the claim, so a takeover that comes later has ended the lease. */
  isCurrent: boolean
  /** Another process has taken the session over. */
  isReplaced: boolean
  /** The turn that runs. */
  turnId?: TurnId
  abort: AbortController
  nudge: PromiseWithResolvers<void>
  /** Something was recorded since the runner last looked. */
  isNudged: boolean
}

export const createRunner = (session: OpenSession): Runner => ({
  session,
  done: Promise.resolve(),
  abort: new AbortController(),
  nudge: Promise.withResolvers(),
  isNudged: false,
  isCurrent: false,
  isReplaced: false,
})

/** Tells the runner that somebody else recorded something. */
export function nudge(runner: Runner): void {
  runner.isNudged = true
  runner.nudge.resolve()
  runner.nudge = Promise.withResolvers()
}

export const depsOf = (runner: Runner, fence: Fence, parts: EngineParts): RunDeps => ({
  ...parts,
  session: runner.session,
  fence,
  signal: runner.abort.signal,
  nudged: () => runner.nudge.promise,
  isReplaced: () => runner.isReplaced,
})
