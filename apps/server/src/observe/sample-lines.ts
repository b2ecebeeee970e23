import type { LogFields } from '../log/log-fields.ts'
import type { Log } from '../log/log.ts'

/** More lines in a second tell an operator nothing new and cost more than the requests that they are about. */
const MOST_PER_SECOND = 100
const SECOND_MS = 1_000

export interface LineSample {
  /** `fields` is called only for a line that is written. */
  info(fields: () => LogFields, message: string): void
}

/**
 * Writes at most `most` lines in a second. The first line of a later second is preceded by one that says how many were
 * left out.
 */
export function sampleLines(
  log: Pick<Log, 'info'>,
  {
    now = () => performance.now(),
    most = MOST_PER_SECOND,
  }: { readonly now?: () => number; readonly most?: number } = {},
): LineSample {
  let second = -1
  let written = 0
  let leftOut = 0
  return {
    info(fields, message) {
      const current = Math.floor(now() / SECOND_MS)
      if (current !== second) {
        second = current
        written = 0
        if (leftOut > 0) log.info({ leftOut, about: message }, 'log lines were left out')
        leftOut = 0
      }
      if (written >= most) {
        leftOut += 1
        return
      }
      written += 1
      log.info(fields(), message)
    },
  }
}
