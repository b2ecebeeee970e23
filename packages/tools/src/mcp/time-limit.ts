import type { Clock } from '@polylogue/engine'

export interface TimeLimit {
  /** Aborts when the time is over, or when the given signal does. */
  readonly signal: AbortSignal
  /** Nobody waits any longer. */
  cancel(): void
}

export interface TimeLimitOptions {
  readonly ms: number
  /** The message of the error when the time is over. */
  readonly problem: string
  readonly signal?: AbortSignal
}

export function startTimeLimit(clock: Clock, { ms, problem, signal }: TimeLimitOptions): TimeLimit {
  const over = new AbortController()
  const timer = clock.setTimer(ms, () => over.abort(new Error(problem)))
  return { signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal, cancel: () => timer.cancel() }
}
