import { createFakeClock, createMemoryScheduleStore, hourlyCalendar, untilQuiet } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { asUserId } from '../ids.ts'
import { SCHEDULE_LIMITS, type ScheduleStore } from '../ports/schedule-store.ts'
import { createScheduleBook } from './schedule-book.ts'
import type { NewSchedule } from './schedule-rules.ts'

const ADA = asUserId('ada')
const GRACE = asUserId('grace')
const HOUR = 3_600_000

const NEWS: NewSchedule = {
  title: 'News',
  prompt: 'Tell me the news',
  cron: '0 * * * *',
  timezone: 'UTC',
  isEnabled: true,
  isUnattended: false,
}

function setUp(spoil: (store: ScheduleStore) => ScheduleStore = (store) => store) {
  const clock = createFakeClock()
  let changes = 0
  const book = createScheduleBook({
    store: spoil(createMemoryScheduleStore()),
    calendar: hourlyCalendar,
    clock: {
      now: () => clock.now(),
      // The time that others are given passes at once.
      setTimer(_ms, run) {
        queueMicrotask(run)
        return { cancel: () => undefined }
      },
    },
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    changed: () => void changes++,
  })
  return { book, clock, changes: () => changes }
}

describe('the book of schedules', () => {
  it('creates, finds, lists and removes those of a user, and reports the change', async () => {
    const { book, changes, clock } = setUp()
    const one = await book.create(ADA, NEWS)
    const two = await book.create(ADA, { ...NEWS, title: 'Weather' })
    expect(one).toMatchObject({
      ...NEWS,
      scheduleId: expect.stringMatching(/^task_[0-9a-f]{24}$/),
      createdAt: clock.now(),
    })
    expect(await book.list(ADA)).toEqual([two, one])
    expect(await book.find(ADA, one.scheduleId)).toEqual(one)
    expect(changes()).toBe(2)
    await book.remove(ADA, one.scheduleId)
    expect(await book.list(ADA)).toEqual([two])
  })

  it('makes one schedule of one id', async () => {
    const { book } = setUp()
    const one = await book.create(ADA, NEWS, 'task_1')
    expect(await book.create(ADA, { ...NEWS, title: 'Again' }, 'task_1')).toEqual(one)
    await expect(book.create(GRACE, NEWS, 'task_1')).rejects.toMatchObject({ code: 'schedule-not-found' })
  })

  it('does not know the sessions of other users', async () => {
    const { book } = setUp()
    const { scheduleId } = await book.create(ADA, NEWS)
    const unknown = { name: 'ScheduleError', code: 'schedule-not-found' }
    await expect(book.find(GRACE, scheduleId)).rejects.toMatchObject(unknown)
    await expect(book.change(GRACE, scheduleId, { title: 'x' })).rejects.toMatchObject(unknown)
    await expect(book.remove(GRACE, scheduleId)).rejects.toMatchObject(unknown)
    await expect(book.runs(GRACE, scheduleId)).rejects.toMatchObject(unknown)
    expect(await book.occurrences(GRACE, { from: 0, to: HOUR })).toEqual([])
  })

  it('refuses an expiry that has passed', async () => {
    const { book, clock } = setUp()
    const refused = { code: 'invalid-schedule', field: 'expiresAt', message: 'must be in the future' }
    await expect(book.create(ADA, { ...NEWS, expiresAt: clock.now() })).rejects.toMatchObject(refused)
    const { scheduleId } = await book.create(ADA, { ...NEWS, expiresAt: clock.now() + HOUR })
    await expect(book.change(ADA, scheduleId, { expiresAt: clock.now() - 1 })).rejects.toMatchObject(refused)
    clock.advance(2 * HOUR)
    expect(await book.change(ADA, scheduleId, { title: 'Old news' })).toMatchObject({ title: 'Old news' })
  })

  it('gives a call that runs again after the expiry the schedule that it made', async () => {
    const { book, clock } = setUp()
    const fields = { ...NEWS, expiresAt: clock.now() + HOUR }
    const made = await book.create(ADA, fields, 'task_1')
    clock.advance(2 * HOUR)
    expect(await book.create(ADA, fields, 'task_1')).toEqual(made)
  })

  it('takes an expiry and a model away', async () => {
    const { book, clock } = setUp()
    const made = await book.create(ADA, { ...NEWS, expiresAt: clock.now() + 1, model: 'fake/other' })
    expect(made.nextSlotAt).toBeUndefined()
    const changed = await book.change(ADA, made.scheduleId, { cleared: ['expiresAt', 'model'] })
    expect([changed.expiresAt, changed.model, changed.nextSlotAt]).toEqual([undefined, undefined, expect.any(Number)])
    expect(await book.find(ADA, made.scheduleId)).toEqual(changed)
  })

  it('refuses invalid times, and changes nothing', async () => {
    const { book } = setUp()
    const wrong = (field: string) => ({ code: 'invalid-schedule', field })
    await expect(book.create(ADA, { ...NEWS, cron: 'x' })).rejects.toMatchObject(wrong('cron'))
    await expect(book.create(ADA, { ...NEWS, timezone: 'Nowhere' })).rejects.toMatchObject(wrong('timezone'))
    const one = await book.create(ADA, NEWS)
    await expect(book.change(ADA, one.scheduleId, { cron: 'x' })).rejects.toMatchObject(wrong('cron'))
    await expect(book.occurrences(ADA, { from: 2, to: 1 })).rejects.toMatchObject(wrong('from'))
    expect(await book.list(ADA)).toEqual([one])
  })

  it('refuses one schedule too many', async () => {
    const { book } = setUp()
    for (let index = 0; index < SCHEDULE_LIMITS.perUser; index++) await book.create(ADA, NEWS)
    await expect(book.create(ADA, NEWS)).rejects.toMatchObject({ code: 'too-many-schedules' })
  })

  it('changes the given fields, also during concurrent changes of the same schedule', async () => {
    const { book } = setUp()
    const { scheduleId } = await book.create(ADA, NEWS)
    await Promise.all([
      book.change(ADA, scheduleId, { title: 'Weather' }),
      book.change(ADA, scheduleId, { prompt: 'Tell me the weather' }),
      book.change(ADA, scheduleId, { isEnabled: false }),
    ])
    expect(await book.find(ADA, scheduleId)).toMatchObject({
      title: 'Weather',
      prompt: 'Tell me the weather',
      isEnabled: false,
      revision: 4,
    })
    const { book: busy } = setUp((store) => ({ ...store, replaceSchedule: async () => false }))
    const one = await busy.create(ADA, NEWS)
    await expect(busy.change(ADA, one.scheduleId, { title: 'x' })).rejects.toMatchObject({ code: 'schedule-busy' })
  })

  it('lists when enabled ones fall due, the first thousand times of each', async () => {
    const { book, clock } = setUp()
    const hour = (number: number): number => (Math.ceil(clock.now() / HOUR) + number) * HOUR
    await book.create(ADA, { ...NEWS, isEnabled: false })
    const schedule = await book.create(ADA, { ...NEWS, expiresAt: hour(5_000) })
    expect(await book.occurrences(ADA, { from: hour(1), to: hour(3) })).toEqual([
      { schedule, slots: [hour(1), hour(2)] },
    ])
    const [long] = await book.occurrences(ADA, { from: hour(0), to: hour(40_000) })
    expect(long?.slots).toHaveLength(1_000)
    await expect(book.occurrences(ADA, { from: hour(0), to: hour(50_000) })).rejects.toThrow('at most five years')
    const [last] = await book.occurrences(ADA, { from: hour(4_998), to: hour(9_000) })
    expect(last?.slots).toEqual([hour(4_998), hour(4_999), hour(5_000)])
  })

  it('computes the due times of all requests piece by piece, one piece in a turn of the event loop', async () => {
    const waiting: (() => void)[] = []
    const book = createScheduleBook({
      store: createMemoryScheduleStore(),
      calendar: hourlyCalendar,
      clock: {
        now: () => 0,
        setTimer(_ms, run) {
          waiting.push(run)
          return { cancel: () => undefined }
        },
      },
      random: (length) => crypto.getRandomValues(new Uint8Array(length)),
      changed: () => undefined,
    })
    for (const user of [ADA, GRACE]) for (let i = 0; i < 5; i++) await book.create(user, NEWS)
    const requests = Array.from({ length: 20 }, (_, i) =>
      book.occurrences(i % 2 === 0 ? ADA : GRACE, { from: 0, to: 1_500 * HOUR }),
    )
    let mostAtOnce = 0
    let isOver = false
    const all = Promise.all(requests).finally(() => (isOver = true))
    while (!isOver) {
      mostAtOnce = Math.max(mostAtOnce, waiting.length)
      for (const run of waiting.splice(0)) run()
      await untilQuiet()
    }
    expect((await all).map((found) => found.map(({ slots }) => slots.length))).toEqual(
      Array.from({ length: 20 }, () => Array.from({ length: 5 }, () => 1_000)),
    )
    expect(mostAtOnce).toBe(1)
  })
})
