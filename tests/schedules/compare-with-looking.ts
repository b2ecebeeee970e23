import { loadSlotCalendar } from '@polylogue/server'
import fc from 'fast-check'
import { anyCron } from './any-cron.ts'
import { slotsByLooking } from './slots-by-looking.ts'
import { ZONES } from './zones.ts'

const DAY = 24 * 60 * 60_000

/** Random expressions in random zones around random days: what the calendar finds otherwise than somebody who looks. */
export async function compareWithLooking({
  runs,
  seed,
}: {
  readonly runs: number
  readonly seed?: number
}): Promise<readonly string[]> {
  const calendar = await loadSlotCalendar()
  const asked = fc.tuple(anyCron, fc.constantFrom(...ZONES), fc.integer({ min: 0, max: 20 * 366 }))
  const result = fc.check(
    fc.property(asked, ([cron, timezone, days]) => {
      const from = Date.UTC(2010, 0) + days * DAY
      const found: number[] = []
      let at = calendar.next(cron, timezone, from - 1)
      while (at !== undefined && at < from + 2 * DAY) {
        found.push(at)
        at = calendar.next(cron, timezone, at)
      }
      return found.join() === slotsByLooking(cron, timezone, { from, to: from + 2 * DAY }).join()
    }),
    { numRuns: runs, ...(seed !== undefined && { seed }) },
  )
  return result.failed ? [JSON.stringify(result.counterexample)] : []
}
