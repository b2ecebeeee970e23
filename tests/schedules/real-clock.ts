import type { Clock } from '@polylogue/engine'

export const realClock: Clock = {
  now: () => Date.now(),
  setTimer(ms, run) {
    const timer = setTimeout(run, ms)
    timer.unref()
    return { cancel: () => clearTimeout(timer) }
  },
}
