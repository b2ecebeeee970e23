import type { Clock, Timer } from '../ports/clock.ts'
import type { EventStore } from '../ports/event-store.ts'

/**
 * After this time without an answer of the store, a process stops its turns. Its lease ended long before, so another
 * process may run them. Three times the lease: a short outage interrupts nothing.
 */
export const CUT_OFF_MS = 15_000

/** Notices that this process no longer reaches the store. */
export class StoreContact {
  readonly #clock: Clock
  readonly #cutOff: () => void
  #timer: Timer | undefined
  #isStopped = false

  /** `cutOff` is called once for each outage. */
  constructor(clock: Clock, cutOff: () => void) {
    this.#clock = clock
    this.#cutOff = cutOff
  }

  /** The store has answered. */
  reached(): void {
    this.#timer?.cancel()
    if (!this.#isStopped) this.#timer = this.#clock.setTimer(CUT_OFF_MS, this.#cutOff)
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }
}

/** The same store. Each answer that depends on a lease counts as contact. */
export function noteContact(store: EventStore, contact: StoreContact): EventStore {
  const noting =
    <A extends unknown[], T>(ask: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      const answer = await ask(...args)
      contact.reached()
      return answer
    }
  return { ...store, append: noting(store.append), claim: noting(store.claim), renew: noting(store.renew) }
}
