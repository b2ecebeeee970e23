import type { UserId } from '../ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { RandomBytes } from '../ports/ids.ts'
import { SCHEDULE_LIMITS, type Schedule, type ScheduleRun, type ScheduleStore } from '../ports/schedule-store.ts'
import type { SlotCalendar } from '../ports/slot-calendar.ts'
import { randomId } from './random-id.ts'
import { ScheduleError } from './schedule-error.ts'
import {
  changeSchedule,
  createSchedule,
  occurrencesOf,
  type NewSchedule,
  type ScheduleChanges,
} from './schedule-rules.ts'

/** Everything that doors and tools can do with schedules. Refuses with a `ScheduleError`. */
export interface ScheduleBook {
  /** Idempotent by id: if the id exists, returns the existing schedule. */
  create(userId: UserId, schedule: NewSchedule, scheduleId?: string): Promise<Schedule>
  find(userId: UserId, scheduleId: string): Promise<Schedule>
  /** Newest first. */
  list(userId: UserId): Promise<readonly Schedule[]>
  /** Absent fields stay unchanged. */
  change(userId: UserId, scheduleId: string, changes: ScheduleChanges): Promise<Schedule>
  remove(userId: UserId, scheduleId: string): Promise<void>
  /** Newest first. */
  runs(userId: UserId, scheduleId: string): Promise<readonly ScheduleRun[]>
  /** The slots of enabled schedules in `[from, to)`, at most a thousand for each schedule. */
  occurrences(userId: UserId, range: { readonly from: number; readonly to: number }): Promise<readonly Occurrences[]>
}

export interface Occurrences {
  readonly schedule: Schedule
  readonly slots: readonly number[]
}

export interface ScheduleBookDeps {
  readonly store: ScheduleStore
  readonly calendar: SlotCalendar
  readonly clock: Clock
  readonly random: RandomBytes
  /** Called when the next slot may be earlier than before. */
  changed(): void
}

const MOST_OCCURRENCES = 1_000
const LONGEST_RANGE_MS = 5 * 366 * 24 * 60 * 60_000
// A year of minutes would block the event loop, so it yields in between.
const OCCURRENCES_AT_A_TIME = 200
const MOST_ATTEMPTS = 20

export function createScheduleBook({ store, calendar, clock, random, changed }: ScheduleBookDeps): ScheduleBook {
  const moment = () => ({ now: clock.now(), calendar })
  // All requests share one line, so that a turn of the event loop has a piece of one of them, however many there are.
  let line = Promise.resolve()
  const giveWay = (): Promise<void> =>
    (line = line.then(() => new Promise<void>((resolve) => void clock.setTimer(0, resolve))))

  const find = async (userId: UserId, scheduleId: string): Promise<Schedule> =>
    (await store.findSchedule(userId, scheduleId)) ?? refuseUnknown()

  const checkSlots = ({ cron, timezone }: Pick<Schedule, 'cron' | 'timezone'>): void => {
    const problem = calendar.problem(cron, timezone)
    if (problem !== undefined) throw new ScheduleError('invalid-schedule', problem.message, problem.field)
  }

  const checkExpiry = ({ expiresAt }: Pick<ScheduleChanges, 'expiresAt'>): void => {
    if (expiresAt === undefined || expiresAt > clock.now()) return
    throw new ScheduleError('invalid-schedule', 'must be in the future', 'expiresAt')
  }

  return {
    async create(userId, fields, scheduleId = randomId('task_', random)) {
      checkSlots(fields)
      // A repeated call after the expiry gets the schedule that the first call created.
      const known = await store.findSchedule(userId, scheduleId)
      if (known !== undefined) return known
      checkExpiry(fields)
      const schedule = createSchedule(fields, { scheduleId, userId }, moment())
      const added = await store.addSchedule(schedule)
      if (added === 'full') {
        throw new ScheduleError('too-many-schedules', `${SCHEDULE_LIMITS.perUser} schedules at most for each user.`)
      }
      changed()
      return added === 'known' ? find(userId, scheduleId) : schedule
    },
    find,
    list: (userId) => store.listSchedules(userId),
    async change(userId, scheduleId, changes) {
      checkExpiry(changes)
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        const schedule = changeSchedule(await find(userId, scheduleId), changes, moment())
        checkSlots(schedule)
        if (!(await store.replaceSchedule(schedule))) continue
        changed()
        return schedule
      }
      throw new ScheduleError('schedule-busy', 'The schedule is being changed by others; try again in a moment.')
    },
    async remove(userId, scheduleId) {
      if (!(await store.removeSchedule(userId, scheduleId))) refuseUnknown()
    },
    async runs(userId, scheduleId) {
      await find(userId, scheduleId)
      return store.listRuns(userId, scheduleId)
    },
    async occurrences(userId, range) {
      if (range.to - range.from > LONGEST_RANGE_MS) {
        throw new ScheduleError('invalid-schedule', 'must be at most five years after the start', 'to')
      }
      if (range.from > range.to) throw new ScheduleError('invalid-schedule', 'must not be after the end', 'from')
      const enabled = (await store.listSchedules(userId)).filter(({ isEnabled }) => isEnabled)
      const found: Occurrences[] = []
      for (const schedule of enabled) {
        const slots: number[] = []
        for (const slotAt of occurrencesOf(schedule, range, calendar)) {
          slots.push(slotAt)
          if (slots.length === MOST_OCCURRENCES) break
          if (slots.length % OCCURRENCES_AT_A_TIME === 0) await giveWay()
        }
        found.push({ schedule, slots })
        // A rare slot takes long to find.
        await giveWay()
      }
      return found
    },
  }
}

function refuseUnknown(): never {
  throw new ScheduleError('schedule-not-found', 'There is no such schedule.')
}
