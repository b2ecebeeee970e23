import { within } from './within.ts'

/** How a server stops: running work gets some time to finish, then everything closes in order. `finish` may reject. */
export interface DrainSteps {
  /** Accepts no new work from now on. */
  begin(): void
  /** Resolves when all work has ended. Called again with 0 when the time is up. */
  settle(graceMs: number): Promise<void>
  /** Resolves when the last connection has ended on its own. */
  endConnections(): Promise<void>
  /** Cuts the connections that are still open and releases all resources. */
  finish(): Promise<void>
}

export interface Drain {
  /** Idempotent. A later call can shorten the remaining time; 0 = now. */
  stop(graceMs?: number): Promise<void>
  readonly stopped: Promise<void>
}

const DEFAULT_GRACE_MS = 30_000
/** The part of the grace that is left for connections to flush after the last turn has ended. */
const CLOSING_MS = 1_000
/** Work that takes longer is abandoned: what it has recorded is safe. */
export const GIVE_UP_MS = 500

export function createDrain(steps: DrainSteps): Drain {
  const { promise: timeIsUp, resolve: endTime } = Promise.withResolvers<void>()
  const { promise: stopped, resolve, reject } = Promise.withResolvers<void>()
  // The caller of `stop` sees the failure, so an unwatched `stopped` must not count as unhandled.
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
