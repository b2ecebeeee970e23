import type { Clock } from '@polylogue/engine'

export interface TimeLimit {
  /** Aborts after the time limit, or when the given signal aborts. */
  readonly signal: AbortSignal
  /** Call it when the wait has ended. */
  cancel(): void
}

export interface TimeLimitOptions {
  readonly ms: number
  /** The error message after the time limit. */
  readonly problem: string
  readonly signal?: AbortSignal
}

export function startTimeLimit(clock: Clock, { ms, problem, signal }: TimeLimitOptions): TimeLimit {
  const over = new AbortController()
  const timer = clock.setTimer(ms, () => over.abort(new Error(problem)))
  return { signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal, cancel: () => timer.cancel() }
}
