import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCron } from './cron-rule.ts'
import { createSlotCalendar } from './slot-calendar.ts'

const calendar = createSlotCalendar()

function slots(cron: string, timezone: string, from: string, count: number): string[] {
  const found: string[] = []
  for (let after: number | undefined = Date.parse(from) - 1; found.length < count;) {
    after = calendar.next(cron, timezone, after)
    if (after === undefined) break
    found.push(new Date(after).toISOString().slice(0, 16))
  }
  return found
}

describe('slots', () => {
  it.each([
    ['0 9 * * *', 'UTC', '2026-01-01', ['2026-01-01T09:00', '2026-01-02T09:00']],
    ['0 9 * * *', 'Asia/Kathmandu', '2026-01-01', ['2026-01-01T03:15', '2026-01-02T03:15']],
    ['*/30 9-10 * * mon-fri', 'UTC', '2026-01-02T10:15', ['2026-01-02T10:30', '2026-01-05T09:00', '2026-01-05T09:30']],
    ['0 0 1,15 * *', 'UTC', '2026-01-02', ['2026-01-15T00:00', '2026-02-01T00:00']],
    ['0 0 13 * fri', 'UTC', '2026-02-10', ['2026-02-13T00:00', '2026-02-20T00:00', '2026-02-27T00:00']],
    [
      '0 0 * * 5-7',
      'UTC',
      '2026-02-10',
      ['2026-02-13T00:00', '2026-02-14T00:00', '2026-02-15T00:00', '2026-02-20T00:00'],
    ],
    [
      '5-10/2,50 1 * JAN sun',
      'UTC',
      '2026-01-01',
      ['2026-01-04T01:05', '2026-01-04T01:07', '2026-01-04T01:09', '2026-01-04T01:50'],
    ],
    ['0 0 29 2 *', 'UTC', '2096-03-01', ['2104-02-29T00:00', '2108-02-29T00:00']],
  ])('of %s in %s', (cron, timezone, from, expected) => {
    expect(slots(cron, timezone, from, expected.length)).toEqual(expected)
  })

  it.each([
    [
      'a time that is left out comes once, right after the clocks were changed',
      ['30 2 * * *', 'Europe/Berlin', '2026-03-28', ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30']],
    ],
    [
      'several times that are left out come once together',
      ['*/20 2 * * *', 'Europe/Berlin', '2026-03-28T12:00', ['2026-03-29T01:00', '2026-03-30T00:00']],
    ],
    [
      'a time that is repeated comes the first time',
      ['30 2 * * *', 'Europe/Berlin', '2026-10-24', ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30']],
    ],
    [
      'what is asked in the second of two equal hours is the next day',
      ['30 2 * * *', 'Europe/Berlin', '2026-10-25T01:10', ['2026-10-26T01:30']],
    ],
    [
      'what is for every hour goes through the hour that is repeated',
      ['0 * * * *', 'Europe/Berlin', '2026-10-25', ['2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00']],
    ],
    [
      'what is for every hour goes through the hour that is left out',
      ['15 * * * *', 'Europe/Berlin', '2026-03-29', ['2026-03-29T00:15', '2026-03-29T01:15', '2026-03-29T02:15']],
    ],
    [
      'half an hour that is left out',
      ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-02T16:00', ['2026-10-03T15:30', '2026-10-04T15:15']],
    ],
    [
      'a whole day that is left out',
      ['0 9 * * *', 'Pacific/Apia', '2011-12-29', ['2011-12-29T19:00', '2011-12-30T10:00', '2011-12-30T19:00']],
    ],
    [
      'a zone that goes back for Ramadan',
      ['30 2 * * *', 'Africa/Casablanca', '2026-02-14', ['2026-02-14T01:30', '2026-02-15T01:30', '2026-02-16T02:30']],
    ],
  ] as const)('%s', (_what, [cron, timezone, from, expected]) => {
    expect(slots(cron, timezone, from, expected.length)).toEqual(expected)
  })

  it('come to an end where years have five digits', () => {
    expect(calendar.next('* * * * *', 'UTC', Date.UTC(9_999, 0))).toBeUndefined()
    expect(calendar.next('0 0 * * *', 'Europe/Berlin', Number.MAX_SAFE_INTEGER)).toBeUndefined()
    expect(slots('0 0 * * *', 'UTC', '0001-01-01', 1)).toEqual(['1970-01-02T00:00'])
  })
})

describe('an invalid schedule', () => {
  it.each([
    ['', 'five fields'],
    ['* * * *', 'five fields'],
    ['* * * * * *', 'five fields'],
    ['0 0 * * * 2030', 'five fields'],
    ['@daily', 'five fields'],
    ['60 * * * *', 'the minute: "60" is not from 0 to 59'],
    ['* 24 * * *', 'the hour'],
    ['* * 0 * *', 'the day of the month'],
    ['* * * 13 *', 'the month'],
    ['* * * * 8', 'the day of the week'],
    ['*/0 * * * *', 'no step'],
    ['*/99999999999 * * * *', 'the minute'],
    ['5/10 * * * *', 'needs a range before the step'],
    ['9-5 * * * *', 'goes backwards'],
    ['1,,2 * * * *', 'the minute: "" is not'],
    ['-1 * * * *', 'the minute'],
    ['** * * * *', 'the minute'],
    ['0 0 L * *', 'the day of the month'],
    ['0 0 * * 1#2', 'the day of the week'],
    ['0 0 * mon *', 'the month'],
    ['0 0 31 2 *', 'there is no such date'],
    ['0 0 31 4,6,9,11 *', 'there is no such date'],
    ['x'.repeat(10_000), 'at most 100 characters'],
    [','.repeat(100_000), 'at most 100 characters'],
  ])('is refused: %.20s', (cron, problem) => {
    expect(calendar.problem(cron, 'UTC')).toMatchObject({ field: 'cron', message: expect.stringContaining(problem) })
    expect(calendar.next(cron, 'UTC', 0)).toBeUndefined()
  })

  it.each(['', 'Nowhere/City', '+05:30', 'UTC; DROP', '../etc', 'x'.repeat(10_000)])(
    'is refused for its zone: %.20s',
    (timezone) => {
      expect(calendar.problem('0 9 * * *', timezone)).toEqual({
        field: 'timezone',
        message: 'is not the name of a time zone',
      })
      expect(calendar.next('0 9 * * *', timezone, 0)).toBeUndefined()
    },
  )

  it('is reported quickly, for every kind', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 200 }), anyMess), (text) => {
        const startedAt = performance.now()
        const rule = parseCron(text)
        expect(typeof rule === 'string' || typeof rule.nextWall(0) === 'number').toBe(true)
        // Sixteen times what is promised: a machine may be busy with something else.
        expect(performance.now() - startedAt).toBeLessThan(80)
      }),
      { numRuns: 2_000 },
    )
  })
})

const anyMess = fc
  .array(fc.constantFrom(...'0123456789*/,- \tLW#?janMON'.split('')), { maxLength: 120 })
  .map((signs) => signs.join(''))
