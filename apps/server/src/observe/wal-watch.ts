import type { Clock } from '@polylogue/engine'
import type { Log } from '../log/log.ts'

/**
 * Says that the write-ahead log keeps growing: another program reads the database without end, so that nothing can be
 * moved out of the log. Nothing fails until the disk is full, which is too late to say so.
 */
export interface WalWatch {
  committed(): void
}

export interface WalWatchDeps {
  readonly log: Log
  readonly clock: Clock
  walBytes(): number
}

const MEBIBYTE = 1024 * 1024
const LONG = 256 * MEBIBYTE
/** To this size SQLite cuts the file when all of it has been moved out. */
const SHORT = 64 * MEBIBYTE
const LOOK_EVERY_MS = 10_000

export function createWalWatch({ log, clock, walBytes }: WalWatchDeps): WalWatch {
  let lookedAt = clock.now()
  let tellAt = LONG
  return {
    committed() {
      const now = clock.now()
      // A clock that was set back must not end the watch.
      if (now >= lookedAt && now - lookedAt < LOOK_EVERY_MS) return
      lookedAt = now
      const bytes = walBytes()
      const walMiB = Math.round(bytes / MEBIBYTE)
      if (bytes >= tellAt) {
        tellAt = 2 * bytes
        log.warn({ walMiB }, 'the write-ahead log keeps growing')
      } else if (bytes <= SHORT && tellAt !== LONG) {
        tellAt = LONG
        log.info({ walMiB }, 'the write-ahead log is short again')
      }
    },
  }
}
