import type { Log } from './log/log.ts'
import { within } from './within.ts'

/** sysexits.h: an error in the program itself. */
export const EXIT_BUG = 70
/** What runs may finish, but nobody knows in which state we are. */
const GRACE_MS = 5_000
const CUT_OFF_MS = GRACE_MS + 3_000

export interface LastResort {
  /** From now on a bug lets running work finish first. */
  drainWith(stop: (graceMs: number) => Promise<void>): void
  remove(): void
}

/**
 * What nobody caught is a bug, and a process that has one must not go on: it is logged, the server drains, and the
 * process ends. Acknowledged data is on disk, and the next start continues from it.
 */
export function installLastResort(log: Log, processLike: NodeJS.Process = process): LastResort {
  let stop: (graceMs: number) => Promise<void> = async () => undefined
  let isEnding = false
  const end = async (): Promise<void> => {
    await within(
      CUT_OFF_MS,
      stop(GRACE_MS).catch((error: unknown) => log.error({ err: error }, 'the drain failed')),
    )
    await within(1_000, log.close())
    processLike.exit(EXIT_BUG)
  }
  const onBug = (error: unknown, origin: string): void => {
    log.error({ err: error, origin }, isEnding ? 'another bug' : 'a bug: the server stops')
    if (isEnding) return
    isEnding = true
    void end()
  }
  // Rejections that nobody handles arrive here too: that is Node's default.
  processLike.on('uncaughtException', onBug)
  return {
    drainWith(next) {
      stop = next
    },
    remove: () => void processLike.off('uncaughtException', onBug),
  }
}
