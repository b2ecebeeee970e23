import { loadSlotCalendar } from '@polylogue/server'
import { Cron } from 'croner'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyCron } from './any-cron.ts'
import { compareWithLooking } from './compare-with-looking.ts'

const MINUTE = 60_000

it('slots equal those found by checking the clock every minute', async () => {
  expect(await compareWithLooking({ runs: 100 })).toEqual([])
})

it('slots on a clock that is never changed are those that another program finds', async () => {
  const calendar = await loadSlotCalendar()
  fc.assert(
    fc.property(anyCron, fc.integer({ min: 0, max: 20 * 366 * 24 * 60 }), (cron, minutes) => {
      const from = Date.UTC(2010, 0) + minutes * MINUTE
      const other = new Cron(cron, { mode: '5-part', utcOffset: 0 })
      expect(calendar.next(cron, 'UTC', from)).toBe(other.nextRun(new Date(from))?.getTime())
    }),
    { numRuns: 500 },
  )
})
