import type { Clock } from '@polylogue/engine'

/** A clock that moves only on demand. */
export interface FakeClock extends Clock {
  /** Advances the time and runs due timers in order of their times, including timers that they set. */
  advance(ms: number): void
  /** The number of pending timers. */
  pendingTimers(): number
}

interface PendingTimer {
  readonly dueAt: number
  readonly run: () => void
}

export function createFakeClock(startAt = Date.UTC(2026, 0, 1)): FakeClock {
  let now = startAt
  // A set keeps insertion order, so timers with equal times run in the order in which they were set.
  const pending = new Set<PendingTimer>()

  const takeDue = (until: number): PendingTimer | undefined => {
    let earliest: PendingTimer | undefined
    for (const timer of pending) {
      if (timer.dueAt <= until && (earliest === undefined || timer.dueAt < earliest.dueAt)) earliest = timer
    }
    if (earliest !== undefined) pending.delete(earliest)
    return earliest
  }

  return {
    now: () => now,
    setTimer(ms, run) {
      const timer = { dueAt: now + Math.max(0, ms), run }
      pending.add(timer)
      return { cancel: () => void pending.delete(timer) }
    },
    advance(ms) {
      const until = now + ms
      for (let timer = takeDue(until); timer !== undefined; timer = takeDue(until)) {
        now = Math.max(now, timer.dueAt)
        timer.run()
      }
      now = Math.max(now, until)
    },
    pendingTimers: () => pending.size,
  }
}
