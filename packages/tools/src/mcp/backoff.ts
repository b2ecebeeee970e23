import type { Clock } from '@polylogue/engine'

export interface Backoff {
  /** How long to wait before the next attempt. */
  failed(): number
  succeeded(): void
}

const FIRST_MS = 1000
const LONGEST_MS = 60_000
/** A server that runs this long counts as healthy. Otherwise a broken one would be restarted every second forever. */
const WELL_AFTER_MS = 60_000

export function createBackoff(clock: Pick<Clock, 'now'>): Backoff {
  let failures = 0
  let succeededAt: number | undefined
  return {
    failed() {
      if (succeededAt !== undefined && clock.now() - succeededAt >= WELL_AFTER_MS) failures = 0
      succeededAt = undefined
      failures += 1
      return Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1))
    },
    succeeded() {
      succeededAt = clock.now()
    },
  }
}
