import type { Clock } from '@polylogue/engine'

/** A clock of this machine that agrees with the clock of a shared storage. */
export interface StorageClock extends Clock {
  /** What the storage answered to a question about its time, and how long that took: the answer may have been read late. */
  learn(storageNow: number, tookMs?: number): void
}

/** Smaller differences may be the time that the answer took. Following them would make the clock jump back and forth. */
const TOLERATED_MS = 500

/** Until it learns otherwise, it agrees with the clock of this machine. */
export function createStorageClock(machine: Clock): StorageClock {
  let offsetMs = 0
  return {
    now: () => machine.now() + offsetMs,
    setTimer: (ms, run) => machine.setTimer(ms, run),
    learn(storageNow, tookMs = 0) {
      const least = storageNow - machine.now()
      const most = least + Math.max(0, tookMs)
      if (offsetMs < least - TOLERATED_MS) offsetMs = least
      if (offsetMs > most + TOLERATED_MS) offsetMs = most
    },
  }
}
