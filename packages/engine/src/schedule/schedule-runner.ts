/**
 * Decides each slot when it is due. One transaction stores its outcome, the ids of its run and the next slot. Several
 * processes may share one store; the first one decides a slot.
 */
import type { SessionId, UserId } from '../ids.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import { StorageFault } from '../ports/event-store.ts'
import type { RandomBytes } from '../ports/ids.ts'
import type { Schedule, ScheduleStore, Slot } from '../ports/schedule-store.ts'
import type { SlotCalendar } from '../ports/slot-calendar.ts'
import type { LogEntry } from '../engine-parts.ts'
import { randomId } from './random-id.ts'
import { createRunCarrier } from './run-carrier.ts'
import { applyZoneRules, settleDueSlots } from './schedule-rules.ts'
import type { ScheduledTurns } from './scheduled-turns.ts'

export interface ScheduleRunner {
  /** Resumes unfinished runs and starts to watch for slots. Idempotent. */
  start(): void
  /** Called when the next slot may be earlier than before. */
  wake(): void
  /** Stops deciding slots. Started runs continue. Idempotent. */
  stop(): Promise<void>
  /** Resolves when no run is in progress. After a stop, that is as soon as the engine has stopped too. */
  idle(): Promise<void>
}

export interface ScheduleRunnerDeps {
  readonly store: ScheduleStore
  readonly calendar: SlotCalendar
  readonly clock: Clock
  readonly random: RandomBytes
  sessionId(userId: UserId): SessionId
  readonly turns: ScheduledTurns
  /** Whether the user may still run anything. */
  isWelcome(userId: UserId): Promise<boolean>
  log(entry: LogEntry): void
  /** How often to look without a reason. Default: every 30 seconds. */
  readonly lookAgainMs?: number
}

// Timers stop while the machine sleeps, and they do not notice a changed clock.
const LOOK_AGAIN_MS = 30_000
const TRY_AGAIN_MS = 2_000
const SCHEDULES_AT_A_TIME = 1_000
// After months of downtime, a schedule that is due every minute has many slots to skip. This must not delay other
// schedules.
const SLOTS_AT_A_TIME = 100
// When ten thousand schedules are due in one minute, they need one commit per group, not one per schedule.
const SETTLED_TOGETHER = 100

export function createScheduleRunner(deps: ScheduleRunnerDeps): ScheduleRunner {
  const { store, calendar, clock, log, lookAgainMs = LOOK_AGAIN_MS } = deps
  let state: 'new' | 'started' | 'stopped' = 'new'
  let looking: Promise<void> | undefined
  let isWoken = false
  let isFailing = false
  let nextLook: Timer | undefined
  let nextTry: Timer | undefined

  const isStopped = (): boolean => state === 'stopped'
  const trySoon = (): void => {
    if (isStopped()) return
    nextTry ??= clock.setTimer(TRY_AGAIN_MS, () => {
      nextTry = undefined
      wake()
    })
  }
  const carrier = createRunCarrier({ store, clock, turns: deps.turns, putDown: trySoon, log })

  const wake = (): void => {
    if (state !== 'started') return
    isWoken = true
    if (looking !== undefined) return
    nextLook?.cancel()
    looking = lookWhileWoken().finally(() => {
      looking = undefined
      if (isWoken) wake()
    })
  }

  const lookWhileWoken = async (): Promise<void> => {
    while (isWoken && !isStopped()) {
      isWoken = false
      await look()
    }
    const ms = await untilNextLook()
    if (!isStopped()) nextLook = clock.setTimer(ms, wake)
  }

  /** Each part runs even if another one fails. */
  const look = async (): Promise<void> => {
    let isWell = true
    for (const part of [takeUpRuns, followZoneRules, settleWhatIsDue]) {
      await part().catch((error: unknown) => {
        if (!isFailing) log({ level: 'error', message: 'schedules cannot be processed', error })
        isWell = false
        trySoon()
      })
    }
    isFailing = !isWell
  }

  const takeUpRuns = async (): Promise<void> => {
    for (const open of await store.openRuns()) if (!isStopped()) carrier.takeUp(open)
  }

  const untilNextLook = async (): Promise<number> => {
    try {
      const nextSlotAt = (await store.nextSlotAt()) ?? Infinity
      return Math.min(lookAgainMs, Math.max(0, nextSlotAt - clock.now()))
    } catch (error) {
      if (!isFailing) log({ level: 'warn', message: 'the next slot cannot be found', error })
      return LOOK_AGAIN_MS
    }
  }

  /** Updates each schedule only once per look. Otherwise two processes with different rules would never finish. */
  const followZoneRules = async (): Promise<void> => {
    const ids = await store.schedulesByOtherRules(calendar.version, SCHEDULES_AT_A_TIME)
    if (ids.length === SCHEDULES_AT_A_TIME) trySoon()
    for (const scheduleId of ids) {
      const standing = await store.readSchedule(scheduleId)
      if (standing !== undefined) await store.replaceSchedule(applyZoneRules(standing.schedule, calendar))
    }
  }

  const settleWhatIsDue = async (): Promise<void> => {
    const broken = new Set<string>()
    while (!isStopped()) {
      const due = await store.dueSchedules(clock.now(), SCHEDULES_AT_A_TIME)
      const sound = due.filter((scheduleId) => !broken.has(scheduleId))
      if (sound.length === 0) return
      for (let done = 0; done < sound.length && !isStopped(); done += SETTLED_TOGETHER) {
        const together = sound.slice(done, done + SETTLED_TOGETHER)
        const outcomes = await Promise.allSettled(together.map((scheduleId) => settleOrPassOver(scheduleId, broken)))
        const failure = outcomes.find(({ status }) => status === 'rejected')
        if (failure?.status === 'rejected') throw failure.reason
      }
    }
  }

  /** A schedule that cannot be read does not block the others. */
  const settleOrPassOver = async (scheduleId: string, broken: Set<string>): Promise<void> => {
    try {
      await settle(scheduleId)
    } catch (error) {
      if (error instanceof StorageFault && error.kind !== 'broken') throw error
      broken.add(scheduleId)
      log({ level: 'error', message: 'a schedule cannot be processed', scheduleId, error })
    }
  }

  const settle = async (scheduleId: string): Promise<void> => {
    const standing = await store.readSchedule(scheduleId)
    if (standing === undefined) return
    const settled = settleDueSlots(standing, {
      isRefused: !(await deps.isWelcome(standing.schedule.userId)),
      now: clock.now(),
      calendar,
      limit: SLOTS_AT_A_TIME,
      makeRun: () => ({ runId: randomId('run_', deps.random), sessionId: deps.sessionId(standing.schedule.userId) }),
    })
    if (settled.slots.length === 0 || !(await store.settleSlots(settled.schedule, settled.slots))) return
    const skipped = settled.slots.filter(({ outcome }) => outcome !== 'fired')
    if (skipped.length > 0) {
      const [{ outcome } = { outcome: 'skipped' }] = skipped
      log({ level: 'warn', message: 'slots were skipped', scheduleId, outcome, count: skipped.length })
    }
    for (const slot of settled.slots) follow(settled.schedule, slot)
  }

  const follow = (schedule: Schedule, slot: Slot): void => {
    if (slot.outcome !== 'fired') return
    const { scheduleId, userId } = schedule
    const { run, slotAt, decidedAt: triggeredAt } = slot
    log({ level: 'info', message: 'a scheduled run begins', scheduleId, slotAt, ...run })
    carrier.takeUp({ run: { ...run, scheduleId, userId, slotAt, status: 'due', triggeredAt }, schedule })
  }

  return {
    start() {
      if (state !== 'new') return
      state = 'started'
      wake()
    },
    wake,
    async stop() {
      state = 'stopped'
      nextLook?.cancel()
      nextTry?.cancel()
      await looking
    },
    idle: () => carrier.idle(),
  }
}
