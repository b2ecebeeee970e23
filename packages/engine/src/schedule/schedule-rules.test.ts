import { describe, expect, it } from 'vitest'
import { asSessionId, asUserId } from '../ids.ts'
import type { SlotCalendar } from '../ports/slot-calendar.ts'
import {
  LATE_MS,
  applyZoneRules,
  changeSchedule,
  createSchedule,
  occurrencesOf,
  settleDueSlots,
  type NewSchedule,
} from './schedule-rules.ts'

const MINUTE = 60_000

/** Every so many minutes, as the expression says; all zones are one. */
const everyMinutes = (version = '1', shift = 0): SlotCalendar => ({
  version,
  problem: () => undefined,
  next: (cron, _timezone, after) => {
    const step = Number(cron) * MINUTE
    return (Math.floor((after - shift) / step) + 1) * step + shift
  },
})
const calendar = everyMinutes()

const FIELDS: NewSchedule = {
  title: 'News',
  prompt: 'Tell me the news',
  cron: '10',
  timezone: 'UTC',
  isEnabled: true,
  isUnattended: false,
}
const at = (minutes: number) => ({ now: minutes * MINUTE, calendar })
const create = (fields: Partial<NewSchedule> = {}, minutes = 5) =>
  createSchedule({ ...FIELDS, ...fields }, { scheduleId: 'task_1', userId: asUserId('ada') }, at(minutes))

const settle = (
  schedule = create(),
  minutes = 10,
  more: { isBusy?: boolean; isRefused?: boolean; limit?: number } = {},
) => {
  let runs = 0
  const { isBusy = false, isRefused = false, limit = 100 } = more
  return settleDueSlots(
    { schedule, isBusy },
    {
      ...at(minutes),
      isRefused,
      limit,
      makeRun: () => ({ runId: `run_${++runs}`, sessionId: asSessionId(`session-${runs}`) }),
    },
  )
}
const outcomes = (settled: ReturnType<typeof settle>) =>
  settled.slots.map(({ slotAt, outcome }) => [slotAt / MINUTE, outcome])

describe('a schedule', () => {
  it('begins with the first slot after it was made', () => {
    expect(create()).toMatchObject({ decidedUntil: 5 * MINUTE, nextSlotAt: 10 * MINUTE, revision: 1, zoneRules: '1' })
    expect(create({}, 10)).toMatchObject({ nextSlotAt: 20 * MINUTE })
  })

  it('has no slot while it is disabled, nor after it has expired', () => {
    expect(create({ isEnabled: false }).nextSlotAt).toBeUndefined()
    expect(create({ expiresAt: 10 * MINUTE - 1 }).nextSlotAt).toBeUndefined()
    expect(create({ expiresAt: 10 * MINUTE }).nextSlotAt).toBe(10 * MINUTE)
  })

  it('makes its texts well-formed, so that they are the same before and after they were stored', () => {
    expect(create({ title: '\ud800', prompt: '\udc00' })).toMatchObject({ title: '\ufffd', prompt: '\ufffd' })
  })

  it('fires a slot that has come, and continues to the next one', () => {
    const settled = settle()
    expect(settled.slots).toEqual([
      {
        scheduleId: 'task_1',
        slotAt: 10 * MINUTE,
        decidedAt: 10 * MINUTE,
        outcome: 'fired',
        run: { runId: 'run_1', sessionId: 'session-1' },
      },
    ])
    expect(settled.schedule).toMatchObject({ decidedUntil: 10 * MINUTE, nextSlotAt: 20 * MINUTE, revision: 2 })
    expect(settle(create(), 9.9).slots).toEqual([])
  })

  it('skips each missed slot, and never makes up for it', () => {
    expect(outcomes(settle(create(), 31))).toEqual([
      [10, 'skipped-late'],
      [20, 'skipped-late'],
      [30, 'fired'],
    ])
    const justLate = settleDueSlots(
      { schedule: create(), isBusy: false },
      { now: 10 * MINUTE + LATE_MS + 1, calendar, isRefused: false, limit: 9, makeRun: () => expect.fail('no run') },
    )
    expect(justLate.slots).toMatchObject([{ outcome: 'skipped-late' }])
  })

  it('skips what comes while the run before continues, also one that it has just begun', () => {
    expect(outcomes(settle(create(), 10, { isBusy: true }))).toEqual([[10, 'skipped-busy']])
    expect(outcomes(settle(create({ cron: '1' }), 7))).toEqual([
      [6, 'fired'],
      [7, 'skipped-busy'],
    ])
  })

  it('skips what comes when its user is gone', () => {
    expect(outcomes(settle(create(), 10, { isRefused: true }))).toEqual([[10, 'skipped-rights']])
    expect(outcomes(settle(create(), 12, { isRefused: true }))).toEqual([[10, 'skipped-late']])
  })

  it('decides a few slots at a time', () => {
    const first = settle(create(), 100, { limit: 3 })
    expect(outcomes(first).map(([slot]) => slot)).toEqual([10, 20, 30])
    expect(outcomes(settle(first.schedule, 100, { limit: 3 })).map(([slot]) => slot)).toEqual([40, 50, 60])
  })

  it('ends with the last slot before it expires', () => {
    const settled = settle(create({ expiresAt: 25 * MINUTE }), 60)
    expect(outcomes(settled).map(([slot]) => slot)).toEqual([10, 20])
    expect(settled.schedule.nextSlotAt).toBeUndefined()
  })

  it('keeps its undecided slots through a change that does not concern them', () => {
    const changed = changeSchedule(create(), { title: 'Weather', model: undefined }, at(12))
    expect(changed).toMatchObject({ title: 'Weather', decidedUntil: 5 * MINUTE, nextSlotAt: 10 * MINUTE, revision: 2 })
  })

  it('restarts when its times change, and when it is enabled', () => {
    expect(changeSchedule(create(), { cron: '7' }, at(12))).toMatchObject({ nextSlotAt: 14 * MINUTE })
    const disabled = changeSchedule(create(), { isEnabled: false }, at(6))
    expect(disabled.nextSlotAt).toBeUndefined()
    expect(changeSchedule(disabled, { isEnabled: true }, at(31))).toMatchObject({ nextSlotAt: 40 * MINUTE })
    const expired = settle(create({ expiresAt: 15 * MINUTE })).schedule
    expect(changeSchedule(expired, { expiresAt: 90 * MINUTE }, at(61))).toMatchObject({ nextSlotAt: 70 * MINUTE })
  })

  it('never decides a slot twice, also when the clock goes back and its times are changed', () => {
    const { schedule } = settle(create(), 10)
    const changed = changeSchedule(schedule, { cron: '5' }, at(2))
    expect(changed).toMatchObject({ decidedUntil: 10 * MINUTE, nextSlotAt: 15 * MINUTE })
    expect(settle(changed, 3).slots).toEqual([])
  })

  it('follows new rules of time zones from where it has come to', () => {
    const moved = applyZoneRules(settle().schedule, everyMinutes('2', 3 * MINUTE))
    expect(moved).toMatchObject({ decidedUntil: 10 * MINUTE, nextSlotAt: 13 * MINUTE, zoneRules: '2', revision: 3 })
  })

  it('occurs from the first instant of a range up to its last, that one left out', () => {
    const range = { from: 10 * MINUTE, to: 30 * MINUTE }
    expect([...occurrencesOf(create(), range, calendar)]).toEqual([10 * MINUTE, 20 * MINUTE])
    const expiring = create({ expiresAt: 19 * MINUTE })
    expect([...occurrencesOf(expiring, range, calendar)]).toEqual([10 * MINUTE])
    expect([...occurrencesOf(create({ isEnabled: false }), range, calendar)]).toEqual([])
  })
})
