import type { DatabaseSync } from 'node:sqlite'
import { SCHEDULE_LIMITS, type Schedule, type ScheduleStore, type UserId } from '@polylogue/engine'
import type { GroupCommit } from './group-commit.ts'
import {
  integerIn,
  optionalIntegerIn,
  runsIn,
  scheduleIn,
  slotIn,
  textIn,
  toScheduleColumns,
  toSlotColumns,
  toStoredSlot,
} from '@polylogue/store-rows'

export interface SqliteScheduleStoreOptions {
  readonly db: DatabaseSync
  readonly commits: GroupCommit
}

const SCHEDULE_COLUMNS = (
  'schedule_id user_id title prompt cron timezone is_enabled expires_at is_unattended model agent source_session ' +
  'created_at decided_until next_slot_at zone_rules revision crc'
).split(' ')
const SLOT_COLUMNS = 'schedule_id slot_at decided_at outcome run_id session_id status error finished_at crc'.split(' ')

const insertInto = (table: string, columns: readonly string[]): string =>
  `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `:${name}`).join(', ')})`

export function createSqliteScheduleStore({ db, commits }: SqliteScheduleStoreOptions): ScheduleStore {
  const prepare = (sql: string) => db.prepare(sql)
  const selectOwned = prepare('SELECT * FROM schedules WHERE schedule_id = ? AND user_id = ?')
  const selectOne = prepare('SELECT * FROM schedules WHERE schedule_id = ?')
  const selectOfUser = prepare('SELECT * FROM schedules WHERE user_id = ? ORDER BY created_at DESC, rowid DESC')
  const selectCount = prepare('SELECT count(*) AS count FROM schedules WHERE user_id = ?')
  const insertSchedule = prepare(insertInto('schedules', SCHEDULE_COLUMNS))
  const updateSchedule = prepare(
    `UPDATE schedules SET ${SCHEDULE_COLUMNS.map((name) => `${name} = :${name}`).join(', ')}
     WHERE schedule_id = :schedule_id AND revision = :revision - 1`,
  )
  const deleteSchedule = prepare('DELETE FROM schedules WHERE schedule_id = ? AND user_id = ?')
  const deleteSlots = prepare('DELETE FROM schedule_slots WHERE schedule_id = ?')
  const selectDue = prepare('SELECT schedule_id FROM schedules WHERE next_slot_at <= ? ORDER BY next_slot_at LIMIT ?')
  const selectNext = prepare('SELECT min(next_slot_at) AS next FROM schedules WHERE next_slot_at IS NOT NULL')
  const selectByRules = prepare('SELECT schedule_id FROM schedules WHERE zone_rules <> ? LIMIT ?')
  const selectOpen = prepare(
    "SELECT 1 FROM schedule_slots WHERE schedule_id = ? AND status IN ('due', 'running') LIMIT 1",
  )
  const selectAllOpen = prepare("SELECT * FROM schedule_slots WHERE status IN ('due', 'running')")
  const insertSlot = prepare(insertInto('schedule_slots', SLOT_COLUMNS))
  const updateSlot = prepare(
    `UPDATE schedule_slots SET status = :status, error = :error, finished_at = :finished_at, crc = :crc
     WHERE run_id = :run_id`,
  )
  const pruneSlots = prepare(
    `DELETE FROM schedule_slots WHERE schedule_id = :schedule AND coalesce(status, '') NOT IN ('due', 'running')
     AND slot_at <= (SELECT slot_at FROM schedule_slots WHERE schedule_id = :schedule
                     ORDER BY slot_at DESC LIMIT 1 OFFSET ${SCHEDULE_LIMITS.slots})`,
  )
  const selectRun = prepare('SELECT * FROM schedule_slots WHERE run_id = ?')
  const selectRuns = prepare(
    'SELECT * FROM schedule_slots WHERE schedule_id = ? AND run_id IS NOT NULL ORDER BY slot_at DESC',
  )

  const findOwned = (userId: UserId, scheduleId: string): Schedule | undefined => {
    const row = selectOwned.get(scheduleId, userId)
    return row && scheduleIn(row)
  }
  const readOne = (scheduleId: string): Schedule | undefined => {
    const row = selectOne.get(scheduleId)
    return row && scheduleIn(row)
  }
  const replace = (schedule: Schedule): boolean => Number(updateSchedule.run(toScheduleColumns(schedule)).changes) > 0

  return {
    addSchedule: (schedule) =>
      commits.write('other', () => {
        if (selectOne.get(schedule.scheduleId) !== undefined) return 'known'
        const count = integerIn(selectCount.get(schedule.userId) ?? {}, 'count')
        if (count >= SCHEDULE_LIMITS.perUser) return 'full'
        insertSchedule.run(toScheduleColumns(schedule))
        return 'added'
      }),
    findSchedule: (userId, scheduleId) => commits.read(() => findOwned(userId, scheduleId)),
    listSchedules: (userId) => commits.read(() => selectOfUser.all(userId).map(scheduleIn)),
    replaceSchedule: (schedule) => commits.write('other', () => replace(schedule)),
    removeSchedule: (userId, scheduleId) =>
      commits.write('other', () => {
        if (Number(deleteSchedule.run(scheduleId, userId).changes) === 0) return false
        deleteSlots.run(scheduleId)
        return true
      }),

    dueSchedules: (at, limit) => commits.read(() => selectDue.all(at, limit).map((row) => textIn(row, 'schedule_id'))),
    readSchedule: (scheduleId) =>
      commits.read(() => {
        const schedule = readOne(scheduleId)
        return schedule && { schedule, isBusy: selectOpen.get(scheduleId) !== undefined }
      }),
    nextSlotAt: () => commits.read(() => optionalIntegerIn(selectNext.get() ?? {}, 'next')),
    schedulesByOtherRules: (version, limit) =>
      commits.read(() => selectByRules.all(version, limit).map((row) => textIn(row, 'schedule_id'))),
    settleSlots: (schedule, slots) =>
      commits.write('other', () => {
        if (!replace(schedule)) return false
        for (const slot of slots) insertSlot.run(toSlotColumns(toStoredSlot(slot)))
        pruneSlots.run({ schedule: schedule.scheduleId })
        return true
      }),

    openRuns: () =>
      commits.read(() =>
        selectAllOpen.all().flatMap((row) => {
          const slot = slotIn(row)
          const schedule = readOne(slot.scheduleId)
          return schedule === undefined ? [] : runsIn(slot, schedule.userId).map((run) => ({ run, schedule }))
        }),
      ),
    moveRun: (runId, from, to) =>
      commits.write('other', () => {
        const row = selectRun.get(runId)
        const slot = row && slotIn(row)
        if (slot?.run === undefined || !from.includes(slot.run.status)) return false
        const { run_id, status, error, finished_at, crc } = toSlotColumns({ ...slot, run: { ...slot.run, ...to } })
        updateSlot.run({ run_id, status, error, finished_at, crc } as Record<string, string | number | null>)
        return true
      }),
    listRuns: (userId, scheduleId) =>
      commits.read(() => {
        if (findOwned(userId, scheduleId) === undefined) return []
        return selectRuns.all(scheduleId).flatMap((row) => runsIn(slotIn(row), userId))
      }),
  }
}
