import type { Clock } from '@polylogue/engine'

/** Resolves after `ms` of the clock's time, or at once when `signal` aborts. Never rejects. */
export function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = clock.setTimer(ms, end)
    signal.addEventListener('abort', end)
  })
}
