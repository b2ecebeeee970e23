import type { Clock, Timer } from '../ports/clock.ts'
import { StorageFault, type EventStore } from '../ports/event-store.ts'

/**
 * After this time without an answer of the store, a process stops its turns. Its lease ended long before, so another
 * process may run them. Three times the lease: a short outage interrupts nothing.
 */
export const CUT_OFF_MS = 15_000

/** A process asks the store for its lease more often than this. */
const SILENT_MS = 3_000
/** Answers that have arrived are read before the store counts as silent. */
const READ_MS = 500

/** Notices that this process no longer reaches the store. */
export class StoreContact {
  readonly #clock: Clock
  readonly #cutOff: () => void
  #timer: Timer | undefined
  #answers = 0
  #isStopped = false

  /** `cutOff` is called once for each outage. */
  constructor(clock: Clock, cutOff: () => void) {
    this.#clock = clock
    this.#cutOff = cutOff
  }

  /** The store has answered. */
  reached(): void {
    this.#answers += 1
    this.#timer?.cancel()
    if (!this.#isStopped) this.#timer = this.#clock.setTimer(CUT_OFF_MS, this.#cutOff)
  }

  /**
   * Rejects with a `busy` fault when the store answers nothing while `work` waits. The work continues, and may still
   * succeed.
   */
  async unlessSilent<T>(work: Promise<T>): Promise<T> {
    const silence = Promise.withResolvers<never>()
    let timer: Timer | undefined
    const wait = (): void => {
      const before = this.#answers
      const unlessHeard = (next: () => void) => (): void => (this.#answers > before ? wait() : next())
      const refuse = (): void => silence.reject(new StorageFault('busy', 'The storage does not answer at the moment.'))
      const readFirst = (): void => void (timer = this.#clock.setTimer(READ_MS, unlessHeard(refuse)))
      timer = this.#clock.setTimer(SILENT_MS, unlessHeard(readFirst))
    }
    wait()
    try {
      return await Promise.race([work, silence.promise])
    } finally {
      timer?.cancel()
    }
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
