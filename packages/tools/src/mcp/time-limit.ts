import type { Clock } from '@polylogue/engine'

export interface TimeLimit {
  /** Aborts when the time is over, or when the given signal does. */
  readonly signal: AbortSignal
  /** Nobody waits any longer. */
  cancel(): void
}

/** `problem` says what it means that the time is over. */
export function startTimeLimit(clock: Clock, ms: number, problem: string, signal?: AbortSignal): TimeLimit {
  const over = new AbortController()
  const timer = clock.setTimer(ms, () => over.abort(new Error(problem)))
  return { signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal, cancel: () => timer.cancel() }
}
