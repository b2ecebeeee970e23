import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  SCHEDULE_LIMITS,
  asSessionId,
  asUserId,
  type Schedule,
  type ScheduleRun,
  type ScheduleStore,
  type Slot,
} from '@polylogue/engine'

/** A schedule store that only one test uses. */
export interface OpenedScheduleStore {
  readonly store: ScheduleStore
  /** Closes the store and opens its database again. Absent: the store itself must still have everything. */
  readonly reopen?: () => Promise<ScheduleStore>
  /** Closes the store and removes its files. */
  close(): Promise<void>
}

const ADA = asUserId('ada')
const GRACE = asUserId('grace')

const BARE: Schedule = {
  scheduleId: 'task_1',
  userId: ADA,
  title: 'News',
  prompt: 'Tell me the news',
  cron: '0 9 * * *',
  timezone: 'Europe/Berlin',
  isEnabled: true,
  isUnattended: false,
  createdAt: 5,
  decidedUntil: 5,
  zoneRules: '2026a',
  revision: 1,
}
const FULL: Schedule = {
  ...BARE,
  scheduleId: 'task_full',
  title: 'A \u{1F600} "title" 第二行\n\u0000',
  expiresAt: 9_000,
  isUnattended: true,
  model: 'openai/gpt',
  agent: 'coder',
  sourceSession: asSessionId('01900000-0000-7000-8000-000000000000'),
  nextSlotAt: 1_000,
}

/** The next revision of a schedule. */
const next = (schedule: Schedule, changes: Partial<Schedule> = {}): Schedule => ({
  ...schedule,
  ...changes,
  revision: schedule.revision + 1,
})
const fired = (slotAt: number, scheduleId = 'task_1'): Slot => ({
  scheduleId,
  slotAt,
  decidedAt: slotAt + 1,
  outcome: 'fired',
  run: { runId: `run_${scheduleId}_${slotAt}`, sessionId: asSessionId(`session-${scheduleId}-${slotAt}`) },
})
const late = (slotAt: number): Slot => ({ scheduleId: 'task_1', slotAt, decidedAt: slotAt, outcome: 'skipped-late' })
const runOf = (slotAt: number, more: Partial<ScheduleRun> = {}): ScheduleRun => ({
  runId: `run_task_1_${slotAt}`,
  sessionId: asSessionId(`session-task_1-${slotAt}`),
  scheduleId: 'task_1',
  userId: ADA,
  slotAt,
  status: 'due',
  triggeredAt: slotAt + 1,
  ...more,
})

export function scheduleStoreContract(name: string, open: () => Promise<OpenedScheduleStore>): void {
  describe(`${name} keeps the contract of a schedule store`, () => {
    let opened: OpenedScheduleStore | undefined
    beforeEach(async () => {
      opened = await open()
    })
    afterEach(async () => {
      await opened?.close()
      opened = undefined
    })
    const subject = (): ScheduleStore => {
      if (opened === undefined) throw new Error('the store is opened before each test')
      return opened.store
    }
    const add = async (schedule: Schedule = BARE): Promise<ScheduleStore> => {
      const store = subject()
      expect(await store.addSchedule(schedule)).toBe('added')
      return store
    }

    it('gives back everything that was said of a schedule', async () => {
      const store = await add()
      await add(FULL)
      expect(await store.findSchedule(ADA, 'task_1')).toEqual(BARE)
      expect(await store.findSchedule(ADA, 'task_full')).toEqual(FULL)
      expect(await store.listSchedules(ADA)).toEqual([FULL, BARE])
      expect(await store.readSchedule('task_full')).toEqual({ schedule: FULL, isBusy: false })
    })

    it('adds one id once', async () => {
      const store = await add()
      expect(await store.addSchedule({ ...BARE, title: 'Another' })).toBe('known')
      expect(await store.listSchedules(ADA)).toEqual([BARE])
    })

    it('keeps a hundred schedules of a user and no more', async () => {
      const store = subject()
      for (let index = 0; index < SCHEDULE_LIMITS.perUser; index++) await add({ ...BARE, scheduleId: `task_${index}` })
      expect(await store.addSchedule({ ...BARE, scheduleId: 'task_more' })).toBe('full')
      expect(await store.addSchedule({ ...BARE, scheduleId: 'task_hers', userId: GRACE })).toBe('added')
    })

    it('never crosses users', async () => {
      const store = await add()
      await store.settleSlots(next(BARE), [fired(10)])
      expect(await store.findSchedule(GRACE, 'task_1')).toBeUndefined()
      expect(await store.listSchedules(GRACE)).toEqual([])
      expect(await store.listRuns(GRACE, 'task_1')).toEqual([])
      expect(await store.removeSchedule(GRACE, 'task_1')).toBe(false)
      expect(await store.listRuns(ADA, 'task_1')).toEqual([runOf(10)])
    })

    it('replaces a schedule only where nobody else has changed it', async () => {
      const store = await add()
      const changed = next(BARE, { title: 'Weather', nextSlotAt: 70 })
      expect(await store.replaceSchedule(changed)).toBe(true)
      expect(await store.replaceSchedule(next(BARE, { title: 'Sports' }))).toBe(false)
      expect(await store.replaceSchedule(next({ ...BARE, scheduleId: 'task_none' }))).toBe(false)
      expect(await store.findSchedule(ADA, 'task_1')).toEqual(changed)
    })

    it('finds what is due, the earliest first, and the earliest of all', async () => {
      const store = await add({ ...BARE, nextSlotAt: 30 })
      await add({ ...BARE, scheduleId: 'task_2', nextSlotAt: 20, userId: GRACE })
      await add({ ...BARE, scheduleId: 'task_3', nextSlotAt: 31 })
      await add({ ...BARE, scheduleId: 'task_4' })
      expect(await store.dueSchedules(19, 10)).toEqual([])
      expect(await store.dueSchedules(30, 10)).toEqual(['task_2', 'task_1'])
      expect(await store.dueSchedules(30, 1)).toEqual(['task_2'])
      expect(await store.nextSlotAt()).toBe(20)
      await store.removeSchedule(GRACE, 'task_2')
      expect(await store.nextSlotAt()).toBe(30)
    })

    it('knows no next slot when there is none', async () => {
      const store = await add()
      expect(await store.nextSlotAt()).toBeUndefined()
      expect(await store.readSchedule('task_none')).toBeUndefined()
    })

    it('finds the schedules that other rules of time zones were applied to', async () => {
      const store = await add({ ...BARE, nextSlotAt: 1 })
      await add({ ...BARE, scheduleId: 'task_2', nextSlotAt: 1, zoneRules: '2026b' })
      expect(await store.schedulesByOtherRules('2026b', 10)).toEqual(['task_1'])
      expect(await store.schedulesByOtherRules('2027a', 10)).toHaveLength(2)
      expect(await store.schedulesByOtherRules('2027a', 1)).toHaveLength(1)
    })

    it('settles slots and moves the schedule on in one step, or does neither', async () => {
      const store = await add({ ...BARE, nextSlotAt: 10 })
      const after = next({ ...BARE, nextSlotAt: 30 }, { decidedUntil: 20 })
      expect(await store.settleSlots(after, [late(10), fired(20)])).toBe(true)
      expect(await store.readSchedule('task_1')).toEqual({ schedule: after, isBusy: true })
      expect(await store.settleSlots(next(BARE), [fired(40)])).toBe(false)
      expect(await store.listRuns(ADA, 'task_1')).toEqual([runOf(20)])
      expect(await store.findSchedule(ADA, 'task_1')).toEqual(after)
    })

    it('never holds two outcomes for one slot', async () => {
      const store = await add()
      const one = next(BARE)
      await store.settleSlots(one, [fired(10)])
      await expect(store.settleSlots(next(one), [late(10)])).rejects.toThrow(/has an outcome already|UNIQUE constraint/)
      await expect(store.settleSlots(next(one), [{ ...fired(11), slotAt: 10 }])).rejects.toThrow(
        /has an outcome already|UNIQUE constraint/,
      )
      expect(await store.listRuns(ADA, 'task_1')).toEqual([runOf(10)])
    })

    it('lets one of many settle a slot', async () => {
      const store = await add()
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          store.settleSlots(next(BARE), [
            { ...fired(10), outcome: 'fired', run: { runId: `run_${index}`, sessionId: asSessionId(`s${index}`) } },
          ]),
        ),
      )
      expect(outcomes.filter(Boolean)).toHaveLength(1)
      expect(await store.listRuns(ADA, 'task_1')).toHaveLength(1)
    })

    it('carries a run from state to state, never back', async () => {
      const store = await add()
      await store.settleSlots(next(BARE), [fired(10)])
      const runId = 'run_task_1_10'
      expect(await store.openRuns()).toEqual([{ run: runOf(10), schedule: next(BARE) }])
      expect(await store.moveRun(runId, ['running'], { status: 'completed', finishedAt: 50 })).toBe(false)
      expect(await store.moveRun(runId, ['due'], { status: 'running' })).toBe(true)
      expect(await store.moveRun(runId, ['due'], { status: 'running' })).toBe(false)
      expect(await store.openRuns()).toMatchObject([{ run: runOf(10, { status: 'running' }) }])
      const end = { status: 'failed', error: 'No model \u{1F600}', finishedAt: 60 } as const
      expect(await store.moveRun(runId, ['due', 'running'], end)).toBe(true)
      expect(await store.moveRun(runId, ['due', 'running'], { status: 'running' })).toBe(false)
      expect(await store.moveRun('run_none', ['due'], { status: 'running' })).toBe(false)
      expect(await store.openRuns()).toEqual([])
      expect(await store.listRuns(ADA, 'task_1')).toEqual([runOf(10, end)])
      expect(await store.readSchedule('task_1')).toMatchObject({ isBusy: false })
    })

    it('lists runs newest first, without what was skipped', async () => {
      const store = await add()
      await store.settleSlots(next(BARE), [fired(10), late(20), fired(30)])
      expect(await store.listRuns(ADA, 'task_1')).toEqual([runOf(30), runOf(10)])
    })

    it('keeps the newest thousand outcomes, and runs that go on', async () => {
      const store = await add()
      let schedule = BARE
      const settle = async (slots: readonly Slot[]): Promise<void> => {
        schedule = next(schedule)
        expect(await store.settleSlots(schedule, slots)).toBe(true)
      }
      await settle([fired(1), fired(2)])
      await store.moveRun('run_task_1_1', ['due'], { status: 'completed', finishedAt: 3 })
      await settle(Array.from({ length: SCHEDULE_LIMITS.slots }, (_, index) => late(10 + index)))
      expect((await store.listRuns(ADA, 'task_1')).map(({ slotAt }) => slotAt)).toEqual([2])
      await settle([fired(2_000)])
      expect((await store.listRuns(ADA, 'task_1')).map(({ slotAt }) => slotAt)).toEqual([2_000, 2])
    })

    it('forgets the slots of a schedule that is removed', async () => {
      const store = await add()
      await store.settleSlots(next(BARE), [fired(10)])
      expect(await store.removeSchedule(ADA, 'task_1')).toBe(true)
      expect(await store.removeSchedule(ADA, 'task_1')).toBe(false)
      expect(await store.openRuns()).toEqual([])
      expect(await store.moveRun('run_task_1_10', ['due'], { status: 'running' })).toBe(false)
      expect(await store.addSchedule(BARE)).toBe('added')
      expect(await store.listRuns(ADA, 'task_1')).toEqual([])
    })

    it('knows everything after it was opened again', async () => {
      const store = await add(FULL)
      const after = next(FULL, { decidedUntil: 10 })
      await store.settleSlots(after, [fired(10, 'task_full')])
      await store.moveRun('run_task_full_10', ['due'], { status: 'running' })
      const again = (await opened?.reopen?.()) ?? store
      expect(await again.findSchedule(ADA, 'task_full')).toEqual(after)
      expect(await again.openRuns()).toMatchObject([{ run: { runId: 'run_task_full_10', status: 'running' } }])
    })
  })
}
