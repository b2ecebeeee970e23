import {
  createMemoryScheduleStore,
  createTestEngine,
  untilQuiet,
  type FakeModel,
  type TestEngine,
  type TestEngineOptions,
} from '@polylogue/testkit'
import { asSessionId, asUserId } from '../../ids.ts'
import type { LogEntry } from '../../engine-parts.ts'
import type { ScheduleStore } from '../../ports/schedule-store.ts'
import type { SlotCalendar } from '../../ports/slot-calendar.ts'
import { createScheduleBook, type ScheduleBook } from '../schedule-book.ts'
import { createScheduleRunner, type ScheduleRunnerDeps } from '../schedule-runner.ts'
import type { NewSchedule } from '../schedule-rules.ts'
import { createScheduledTurns } from '../scheduled-turns.ts'

export const MINUTE = 60_000

export const ANN = asUserId('ann')

/** Fires every N minutes, where the cron expression is N. */
const calendar: SlotCalendar = {
  version: '1',
  problem: (cron) => (Number(cron) > 0 ? undefined : { field: 'cron', message: 'is wrong' }),
  next: (cron, _timezone, after) => (Math.floor(after / (Number(cron) * MINUTE)) + 1) * Number(cron) * MINUTE,
}

export const NEWS: NewSchedule = {
  title: 'News',
  prompt: 'Tell me the news',
  cron: '10',
  timezone: 'UTC',
  isEnabled: true,
  isUnattended: false,
}

let sessions = 0

export interface World extends TestEngine {
  readonly schedules: ScheduleStore
  readonly book: ScheduleBook
  readonly told: LogEntry[]
  /** Advances the clock second by second, so that timers can follow. */
  pass(ms: number): Promise<void>
  stop(): Promise<void>
}

export interface WorldOptions extends TestEngineOptions {
  /** The store of an earlier world. */
  readonly schedules?: ScheduleStore
  readonly deps?: (deps: ScheduleRunnerDeps) => Partial<ScheduleRunnerDeps>
}

export async function openWorld({ schedules = createMemoryScheduleStore(), deps, ...options }: WorldOptions = {}) {
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

export const runsOf = async ({ schedules }: World, scheduleId: string) => schedules.listRuns(ANN, scheduleId)

export const prompts = (model: FakeModel) => model.requests.map(({ messages }) => messages.at(-1)?.content)
