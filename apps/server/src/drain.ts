import { within } from './within.ts'

/** How a server ends: what is running may finish, for a while; then everything closes in order. `finish` may reject. */
export interface DrainSteps {
  /** Takes no new work from here on. */
  begin(): void
  /** Resolves when nothing runs any more. Called again with 0 when there is no time left. */
  settle(graceMs: number): Promise<void>
  /** Resolves when the last connection has ended by itself. */
  endConnections(): Promise<void>
  /** Cuts what is still open, and gives everything back. */
  finish(): Promise<void>
}

export interface Drain {
  /** Idempotent. A later call may shorten the time that is left; 0 = now. */
  stop(graceMs?: number): Promise<void>
  readonly stopped: Promise<void>
}

const DEFAULT_GRACE_MS = 30_000
/** Of the grace, kept back for the connections to flush after the last turn has ended. */
const CLOSING_MS = 1_000
/** Work that does not end at once is left behind: what it has recorded is safe. */
export const GIVE_UP_MS = 500

export function createDrain(steps: DrainSteps): Drain {
  const { promise: timeIsUp, resolve: endTime } = Promise.withResolvers<void>()
  const { promise: stopped, resolve, reject } = Promise.withResolvers<void>()
  // Whoever calls stop sees the failure; nobody has to watch `stopped` as well.
  stopped.catch(() => undefined)
  let timer: NodeJS.Timeout | undefined
  let endsAt = Number.POSITIVE_INFINITY

  const limitTo = (graceMs: number): void => {
    const next = performance.now() + graceMs
    if (next >= endsAt) return
    endsAt = next
    clearTimeout(timer)
    timer = setTimeout(endTime, graceMs)
  }

  const run = async (graceMs: number): Promise<void> => {
    let isUp = false
    void timeIsUp.then(() => (isUp = true))
    steps.begin()
    await Promise.race([steps.settle(Math.max(0, graceMs - CLOSING_MS)), timeIsUp])
    if (isUp) await within(GIVE_UP_MS, steps.settle(0))
    await Promise.race([within(CLOSING_MS, steps.endConnections()), timeIsUp])
    await steps.finish()
    clearTimeout(timer)
  }

  let isStopping = false
  return {
    stopped,
    stop(graceMs = DEFAULT_GRACE_MS) {
      limitTo(graceMs)
      if (!isStopping) {
        isStopping = true
        run(graceMs).then(resolve, reject)
      }
      return stopped
    },
  }
}
