import type { Clock } from '@polylogue/engine'

/** A clock of this machine that agrees with the clock of a shared storage. */
export interface StorageClock extends Clock {
  /** The time of the storage right now. */
  learn(storageNow: number): void
}

/** Smaller differences are the time that the answer took. Following them would make the clock jump back and forth. */
const TOLERATED_MS = 500

/** Until it learns otherwise, it agrees with the clock of this machine. */
export function createStorageClock(machine: Clock): StorageClock {
  let offsetMs = 0
  return {
    now: () => machine.now() + offsetMs,
    setTimer: (ms, run) => machine.setTimer(ms, run),
    learn(storageNow) {
      const found = storageNow - machine.now()
      if (Math.abs(found - offsetMs) > TOLERATED_MS) offsetMs = found
    },
  }
}
