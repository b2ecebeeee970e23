import { describe, expect, it } from 'vitest'
import { StorageFault } from '../ports/event-store.ts'
import { MINUTE, ANN, NEWS, openWorld, runsOf, prompts } from './test-support/schedule-world.ts'

describe('a run whose end cannot be stored', () => {
  it('is reported once, and ends when it can', async () => {
    let isBroken = true
    const world = await openWorld({
      deps: ({ store }) => ({
        store: {
          ...store,
          moveRun: (runId, from, to) =>
            isBroken ? Promise.reject(new StorageFault('full', 'no room')) : store.moveRun(runId, from, to),
        },
      }),
    })
    const { scheduleId } = await world.book.create(ANN, NEWS)
    await world.pass(12 * MINUTE)
    expect(world.told.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'a scheduled run cannot be continued' },
    ])
    isBroken = false
    await world.pass(5_000)
    expect(await runsOf(world, scheduleId)).toMatchObject([{ status: 'completed' }])
    expect(prompts(world.model)).toHaveLength(1)
    await world.stop()
  })
})

describe('schedules after a crash', () => {
  const die = (): Promise<never> => new Promise(() => undefined)

  it('begin the run of a slot that was settled, once', async () => {
    const dead = await openWorld({ deps: ({ turns }) => ({ turns: { ...turns, begin: die } }) })
    const { scheduleId } = await dead.book.create(ANN, NEWS)
    await dead.pass(10 * MINUTE)
    expect(await runsOf(dead, scheduleId)).toMatchObject([{ status: 'due' }])
    const { store, clock, schedules } = dead
    const world = await openWorld({ store, clock, schedules })
    await world.pass(30_000)
    const runs = await runsOf(world, scheduleId)
    expect(runs).toMatchObject([{ status: 'completed' }])
    expect(prompts(world.model)).toEqual(['Tell me the news'])
    await world.stop()
  })

  it('do not begin a run again that had begun before anybody noted it', async () => {
    const dead = await openWorld({
      deps: ({ store }) => ({ store: { ...store, moveRun: die } }),
    })
    const { scheduleId } = await dead.book.create(ANN, NEWS)
    await dead.pass(10 * MINUTE)
    expect(await runsOf(dead, scheduleId)).toMatchObject([{ status: 'due' }])
    const { store, clock, schedules } = dead
    const world = await openWorld({ store, clock, schedules })
    await world.pass(MINUTE * 2)
    expect(await runsOf(world, scheduleId)).toMatchObject([{ status: 'completed' }])
    expect(prompts(world.model)).toEqual([])
    await world.stop()
  })

  it('give up a run that did not begin in time', async () => {
    const dead = await openWorld({ deps: ({ turns }) => ({ turns: { ...turns, begin: die } }) })
    const { scheduleId } = await dead.book.create(ANN, NEWS)
    await dead.pass(10 * MINUTE)
    dead.clock.advance(3 * MINUTE)
    const { store, clock, schedules } = dead
    const world = await openWorld({ store, clock, schedules })
    await world.pass(1_000)
    expect(await runsOf(world, scheduleId)).toMatchObject([
      { status: 'failed', error: 'The server stopped before it could begin.' },
    ])
    await world.stop()
  })

  it('skip missed slots, and fire future ones', async () => {
    const first = await openWorld()
    const { scheduleId } = await first.book.create(ANN, NEWS)
    await first.stop()
    first.clock.advance(55 * MINUTE)
    const { store, clock, schedules } = first
    const world = await openWorld({ store, clock, schedules })
    await world.pass(5 * MINUTE)
    expect(await runsOf(world, scheduleId)).toHaveLength(1)
    expect(world.told).toMatchObject([
      { message: 'slots were skipped', outcome: 'skipped-late', count: 5 },
      { message: 'a scheduled run begins' },
    ])
    await world.stop()
  })
})

describe('several processes at one store', () => {
  it('begin each run once', async () => {
    const first = await openWorld()
    const { store, clock, schedules } = first
    const second = await openWorld({ store, clock, schedules })
    const { scheduleId } = await first.book.create(ANN, NEWS)
    await first.pass(40 * MINUTE)
    const runs = await runsOf(first, scheduleId)
    expect(runs.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed', 'completed'])
    expect([...prompts(first.model), ...prompts(second.model)]).toHaveLength(4)
    await first.stop()
    await second.stop()
  })
})

describe('the looking for slots', () => {
  it('notices within half a minute that the clock was set', async () => {
    const world = await openWorld()
    const { scheduleId } = await world.book.create(ANN, { ...NEWS, cron: '60' })
    let jump = 0
    const { now } = world.clock
    Object.assign(world.clock, { now: () => now() + jump })
    jump = 60 * MINUTE - 30_000
    await world.pass(30_000)
    expect(await runsOf(world, scheduleId)).toHaveLength(1)
    await world.stop()
  })

  it('continues after its storage has failed', async () => {
    let isBroken = false
    const world = await openWorld({
      deps: ({ store }) => ({
        store: {
          ...store,
          dueSchedules: (at, limit) =>
            isBroken ? Promise.reject(new Error('no disk')) : store.dueSchedules(at, limit),
        },
      }),
    })
    const { scheduleId } = await world.book.create(ANN, NEWS)
    isBroken = true
    await world.pass(10 * MINUTE + 10_000)
    expect(world.told).toMatchObject([{ level: 'error', message: 'schedules cannot be processed' }])
    isBroken = false
    await world.pass(5_000)
    expect(await runsOf(world, scheduleId)).toMatchObject([{ status: 'completed' }])
    await world.stop()
  })

  it('passes over a schedule that cannot be read, and settles all others', async () => {
    let damaged = ''
    const world = await openWorld({
      deps: ({ store }) => ({
        store: {
          ...store,
          readSchedule: (scheduleId) =>
            scheduleId === damaged
              ? Promise.reject(new StorageFault('broken', 'It is damaged.'))
              : store.readSchedule(scheduleId),
        },
      }),
    })
    damaged = (await world.book.create(ANN, NEWS)).scheduleId
    const sound = await Promise.all(Array.from({ length: 99 }, () => world.book.create(ANN, NEWS)))
    await world.pass(10 * MINUTE)
    const runs = await Promise.all(sound.map(({ scheduleId }) => runsOf(world, scheduleId)))
    expect(runs.map(([run]) => run?.status)).toEqual(sound.map(() => 'completed'))
    expect(world.told.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'a schedule cannot be processed', scheduleId: damaged },
    ])
    await world.stop()
  })

  it('leaves no timer behind when it is stopped', async () => {
    const world = await openWorld()
    await world.book.create(ANN, NEWS)
    await world.pass(10 * MINUTE)
    await world.stop()
    const before = world.clock.pendingTimers()
    await world.book.create(ANN, NEWS)
    expect(world.clock.pendingTimers()).toBe(before)
  })
})
