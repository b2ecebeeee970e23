import type { Clock } from '@polylogue/engine'

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(ms, run) {
    const timer = setTimeout(run, ms).unref()
    return { cancel: () => clearTimeout(timer) }
  },
}
