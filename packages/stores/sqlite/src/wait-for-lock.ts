import type { Clock } from '@polylogue/engine'
import { isBusy } from './sqlite-fault.ts'

const LONGEST_PAUSE_MS = 50

/** Pauses between attempts: 1, 2, 4 … 50 ms. Our own, because SQLite's busy handler would block the event loop. */
export const nextPause = (pauseMs: number): number => Math.min(LONGEST_PAUSE_MS, pauseMs * 2)

/**
 * A timer of the clock does not keep the process alive, but a process must not end while it waits to write. Call the
 * returned function when the wait is over.
 */
export function stayAlive(): () => void {
  const handle = setInterval(() => {}, 0x7fffffff)
  return () => clearInterval(handle)
}

/** Tries again, without blocking, while another connection holds the database; after `waitMs` it gives up. */
export async function waitForLock<T>(clock: Clock, waitMs: number, attempt: () => T): Promise<T> {
  let waitedMs = 0
  for (let pauseMs = 1; ; pauseMs = nextPause(pauseMs)) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || waitedMs >= waitMs) throw error
    }
    const leave = stayAlive()
    await new Promise<void>((resolve) => clock.setTimer(pauseMs, resolve))
    leave()
    waitedMs += pauseMs
  }
}
