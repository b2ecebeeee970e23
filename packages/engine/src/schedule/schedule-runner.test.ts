import {
  createFakeModel,
  createFakeTool,
  createMemoryScheduleStore,
  createTestEngine,
  calls,
  finishes,
  says,
  untilQuiet,
  type FakeModel,
  type TestEngine,
  type TestEngineOptions,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { EngineError } from '../errors.ts'
import { asSessionId, asToolCallId, asUserId, type SessionId } from '../ids.ts'
import type { LogEntry } from '../engine-parts.ts'
import { StorageFault } from '../ports/event-store.ts'
import type { ScheduleStore } from '../ports/schedule-store.ts'
import type { SlotCalendar } from '../ports/slot-calendar.ts'
import { createScheduleBook, type ScheduleBook } from './schedule-book.ts'
import { createScheduleRunner, type ScheduleRunnerDeps } from './schedule-runner.ts'
import type { NewSchedule } from './schedule-rules.ts'
import { createScheduledTurns } from './scheduled-turns.ts'

const MINUTE = 60_000
const ANN = asUserId('ann')

/** Every so many minutes, as the expression says. */
const calendar: SlotCalendar = {
  version: '1',
  problem: (cron) => (Number(cron) > 0 ? undefined : { field: 'cron', message: 'is wrong' }),
  next: (cron, _timezone, after) => (Math.floor(after / (Number(cron) * MINUTE)) + 1) * Number(cron) * MINUTE,
}

const NEWS: NewSchedule = {
  title: 'News',
  prompt: 'Tell me the news',
  cron: '10',
  timezone: 'UTC',
  isEnabled: true,
  isUnattended: false,
}

let sessions = 0

interface World extends TestEngine {
  readonly schedules: ScheduleStore
  readonly book: ScheduleBook
  readonly told: LogEntry[]
  /** Lets time pass, in steps that a timer can follow. */
  pass(ms: number): Promise<void>
  stop(): Promise<void>
}

interface WorldOptions extends TestEngineOptions {
  /** Of an earlier world. */
  readonly schedules?: ScheduleStore
  readonly deps?: (deps: ScheduleRunnerDeps) => Partial<ScheduleRunnerDeps>
}

async function openWorld({ schedules = createMemoryScheduleStore(), deps, ...options }: WorldOptions = {}) {
  const told: LogEntry[] = []
  const test = createTestEngine(options)
  const { engine, clock } = test
  await engine.start()
  const all: ScheduleRunnerDeps = {
    store: schedules,
    calendar,
    clock,
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    sessionId: () => asSessionId(`scheduled-${++sessions}`),
    turns: createScheduledTurns({ engine, defaultAgent: () => 'tester', withheldTools: ['Schedule'] }),
    isWelcome: async () => true,
    log: (entry) => told.push(entry),
  }
  const runner = createScheduleRunner({ ...all, ...deps?.(all) })
  const book = createScheduleBook({
    ...all,
    store: schedules,
    changed: () => runner.wake(),
  })
  runner.start()
  await untilQuiet()
  const world: World = {
    ...test,
    schedules,
    book,
    told,
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += 1_000) {
        clock.advance(Math.min(1_000, ms - passed))
        await untilQuiet()
      }
    },
    async stop() {
      await runner.stop()
      await engine.stop(0)
      await runner.idle()
    },
  }
  return world
}

const runsOf = async ({ schedules }: World, scheduleId: string) => schedules.listRuns(ANN, scheduleId)
const prompts = (model: FakeModel) => model.requests.map(({ messages }) => messages.at(-1)?.content)

describe('a scheduled run', () => {
  it('is a turn of a session of its own, with the title of its schedule, and ends with its turn', async () => {
    const world = await openWorld({ model: createFakeModel([says('No news'), finishes()]) })
    const { scheduleId } = await world.book.create(ANN, NEWS)
    await world.pass(10 * MINUTE)
    const [run] = await runsOf(world, scheduleId)
    expect(run).toMatchObject({ status: 'completed', slotAt: run?.triggeredAt, finishedAt: run?.triggeredAt })
    const view = await world.engine.readSession(ANN, run?.sessionId as SessionId)
    expect(view).toMatchObject({ title: 'News', status: 'idle', lastOutcome: 'finished', access: { type: 'preset' } })
    expect(prompts(world.model)).toEqual(['Tell me the news'])
    await world.stop()
  })

  it('does not begin before its slot, nor twice', async () => {
    const world = await openWorld()
    const { scheduleId } = await world.book.create(ANN, NEWS)
    await world.pass(10 * MINUTE - 1)
    expect(await runsOf(world, scheduleId)).toEqual([])
    await world.pass(10 * MINUTE)
    expect(await runsOf(world, scheduleId)).toHaveLength(1)
    await world.pass(20 * MINUTE)
    expect((await runsOf(world, scheduleId)).map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'completed',
    ])
    await world.stop()
  })

  it('fails with the reason of its turn', async () => {
    const model = createFakeModel([{ type: 'failed', error: { code: 'model-error', message: 'The model is down.' } }])
    const world = await openWorld({ model })
    const { scheduleId } = await world.book.create(ANN, NEWS)
    await world.pass(10 * MINUTE)
    expect(await runsOf(world, scheduleId)).toMatchObject([{ status: 'failed', error: 'The model is down.' }])
    await world.stop()
  })

  it('stays running while it waits for its user, and later slots are skipped', async () => {
    const tool = createFakeTool('write', { effect: 'unsafe' })
    const model = createFakeModel([calls('c1', 'write'), finishes('tool-calls')], [says('Done'), finishes()])
    const world = await openWorld({ tools: [tool], model })
    const { scheduleId } = await world.book.create(ANN, NEWS)
    await world.pass(30 * MINUTE)
    const [run, ...others] = await runsOf(world, scheduleId)
    expect([run?.status, others]).toEqual(['running', []])
    await world.engine.execute({
      type: 'answer-calls',
      userId: ANN,
      sessionId: run?.sessionId as SessionId,
      answers: [{ type: 'approval', toolCallId: asToolCallId('c1'), granted: true }],
      whenRunning: 'refuse',
    })
    await world.pass(1_000)
    expect(await runsOf(world, scheduleId)).toMatchObject([{ status: 'completed' }])
    await world.stop()
  })

  it('fails when it is cancelled, and when its session is deleted', async () => {
    const tool = createFakeTool('write', { effect: 'unsafe' })
    const asks = (id: string) => [calls(id, 'write'), finishes('tool-calls')]
    const model = createFakeModel(asks('c1'), asks('c2'))
    const world = await openWorld({ tools: [tool], model })
    const { scheduleId } = await world.book.create(ANN, NEWS)
    await world.pass(10 * MINUTE)
    const [first] = await runsOf(world, scheduleId)
    const sessionId = first?.sessionId as SessionId
    await world.engine.execute({ type: 'cancel-turn', userId: ANN, sessionId, reason: 'user', dropQueue: true })
    await world.pass(10 * MINUTE)
    const [second] = await runsOf(world, scheduleId)
    await world.engine.execute({ type: 'delete-session', userId: ANN, sessionId: second?.sessionId as SessionId })
    await world.pass(1_000)
    expect(await runsOf(world, scheduleId)).toMatchObject([
      { status: 'failed', error: 'Its session was deleted before it had ended.' },
      { status: 'failed', error: 'It was cancelled.' },
    ])
    await world.stop()
  })

  it('asks nobody when its schedule says so', async () => {
    const tool = createFakeTool('write', { effect: 'unsafe' })
    const model = createFakeModel([calls('c1', 'write'), finishes('tool-calls')], [says('Done'), finishes()])
    const world = await openWorld({ tools: [tool, createFakeTool('Schedule', { effect: 'idempotent' })], model })
    const { scheduleId } = await world.book.create(ANN, { ...NEWS, isUnattended: true })
    await world.pass(10 * MINUTE)
    expect(await runsOf(world, scheduleId)).toMatchObject([{ status: 'completed' }])
    expect(tool.invocations).toHaveLength(1)
    expect(world.model.requests[0]?.tools.map(({ name }) => name)).toEqual(['write'])
    await world.stop()
  })

  it('does not begin for a user who is gone', async () => {
    const world = await openWorld({ deps: () => ({ isWelcome: async () => false }) })
    const { scheduleId } = await world.book.create(ANN, NEWS)
    await world.pass(10 * MINUTE)
    expect(await runsOf(world, scheduleId)).toEqual([])
    expect(world.told).toMatchObject([{ message: 'slots were skipped', outcome: 'skipped-rights', count: 1 }])
    await world.stop()
  })

  it('fails when what it wants is not there', async () => {
    const world = await openWorld()
    const { scheduleId } = await world.book.create(ANN, { ...NEWS, agent: 'nobody' })
    await world.pass(10 * MINUTE)
    expect(await runsOf(world, scheduleId)).toMatchObject([
      { status: 'failed', error: 'there is no agent called nobody' },
    ])
    await world.stop()
  })

  it('is tried again for a minute when only the moment is wrong', async () => {
    let refusals = 3
    const world = await openWorld({
      deps: ({ turns }) => ({
        turns: {
          ...turns,
          async begin(open) {
            if (refusals-- > 0) throw new EngineError('too-many-turns', 'you have too many running turns')
            return turns.begin(open)
          },
        },
      }),
    })
    const { scheduleId } = await world.book.create(ANN, NEWS)
    await world.pass(10 * MINUTE + 10_000)
    expect(await runsOf(world, scheduleId)).toMatchObject([{ status: 'completed' }])
    refusals = Infinity
    await world.pass(12 * MINUTE)
    expect(await runsOf(world, scheduleId)).toMatchObject([
      { status: 'failed', error: 'you have too many running turns' },
      { status: 'completed' },
    ])
    await world.stop()
  })
})

describe('a run whose end cannot be stored', () => {
  it('is told of once, and ends when it can be', async () => {
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

  it('give up a run that nobody began in time', async () => {
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

  it('skip what was missed, and fire what comes', async () => {
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

  it('goes on after its storage has failed', async () => {
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
