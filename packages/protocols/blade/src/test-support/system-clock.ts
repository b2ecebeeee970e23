import type { Clock } from '@polylogue/engine'

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(ms, run) {
    const timer = setTimeout(run, ms)
    return { cancel: () => clearTimeout(timer) }
  },
}
