import type { Clock } from '@polylogue/engine'
import type { Log } from '../log/log.ts'

/**
 * Warns when the write-ahead log keeps growing. That happens when another program holds the database open for reading.
 * Nothing fails until the disk is full, so the warning comes earlier.
 */
export interface WalWatch {
  /** Never rejects. */
  committed(): Promise<void>
}

export interface WalWatchDeps {
  readonly log: Log
  readonly clock: Clock
  walBytes(): Promise<number>
}

const MEBIBYTE = 1024 * 1024
const LONG = 256 * MEBIBYTE
/** A log that could be emptied is not larger than this. */
const SHORT = 64 * MEBIBYTE
const LOOK_EVERY_MS = 10_000

export function createWalWatch({ log, clock, walBytes }: WalWatchDeps): WalWatch {
  let lookedAt = clock.now()
  let warnAt = LONG
  return {
    async committed() {
      const now = clock.now()
      // `now < lookedAt` after the clock was set back.
      if (now >= lookedAt && now - lookedAt < LOOK_EVERY_MS) return
      lookedAt = now
      const bytes = await walBytes().catch((error: unknown) => {
        log.warn({ err: error }, 'the size of the write-ahead log is unknown')
        return undefined
      })
      if (bytes === undefined) return
      const walMiB = Math.round(bytes / MEBIBYTE)
      if (bytes >= warnAt) {
        warnAt = 2 * bytes
        log.warn({ walMiB }, 'the write-ahead log keeps growing')
      } else if (bytes <= SHORT && warnAt !== LONG) {
        warnAt = LONG
        log.info({ walMiB }, 'the write-ahead log is short again')
      }
    },
  }
}
