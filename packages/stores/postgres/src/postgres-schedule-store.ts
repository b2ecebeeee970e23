import { SCHEDULE_LIMITS, type Schedule, type ScheduleStore, type UserId } from '@polylogue/engine'
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
  type Columns,
} from '@polylogue/store-rows'
import type { Database, Query } from './database.ts'
import { lockUser } from './lock-user.ts'

export function createPostgresScheduleStore(db: Database): ScheduleStore {
  const findOwned = async (query: Query, userId: UserId, scheduleId: string): Promise<Schedule | undefined> => {
    const text = 'SELECT * FROM polylogue.schedules WHERE user_id = $1 AND schedule_id = $2'
    const [row] = await query({ text, values: [userId, scheduleId] })
    return row && scheduleIn(row)
  }
  const replace = async (query: Query, schedule: Schedule): Promise<boolean> => {
    const columns = Object.entries(toScheduleColumns(schedule))
    const text = `UPDATE polylogue.schedules SET ${columns.map(([name], index) => `${name} = $${index + 4}`).join(', ')}
      WHERE user_id = $1 AND schedule_id = $2 AND revision = $3 RETURNING schedule_id`
    const { userId, scheduleId, revision } = schedule
    const values = [userId, scheduleId, revision - 1, ...columns.map(([, value]) => value)]
    return (await query({ text, values })).length > 0
  }
  const idsOf = async (text: string, values: readonly unknown[]): Promise<readonly string[]> =>
    (await db.asSystem((query) => query({ text, values }))).map((row) => textIn(row, 'schedule_id'))

  return {
    addSchedule: (schedule) =>
      db.asSystem(async (query) => {
        await lockUser(query, schedule.userId)
        const same = 'SELECT schedule_id FROM polylogue.schedules WHERE schedule_id = $1'
        if ((await query({ text: same, values: [schedule.scheduleId] })).length > 0) return 'known'
        const text = 'SELECT count(*) AS count FROM polylogue.schedules WHERE user_id = $1'
        const [row] = await query({ text, values: [schedule.userId] })
        if (integerIn(row ?? {}, 'count') >= SCHEDULE_LIMITS.perUser) return 'full'
        await query(insertInto('schedules', toScheduleColumns(schedule)))
        return 'added'
      }),
    findSchedule: (userId, scheduleId) => db.asUser(userId, (query) => findOwned(query, userId, scheduleId)),
    listSchedules: (userId) =>
      db.asUser(userId, async (query) => {
        const text = 'SELECT * FROM polylogue.schedules WHERE user_id = $1 ORDER BY created_at DESC, entry DESC'
        return (await query({ text, values: [userId] })).map(scheduleIn)
      }),
    replaceSchedule: (schedule) => db.change(schedule.userId, (query) => replace(query, schedule)),
    removeSchedule: (userId, scheduleId) =>
      db.change(userId, async (query) => {
        const values = [userId, scheduleId]
        const text = 'DELETE FROM polylogue.schedules WHERE user_id = $1 AND schedule_id = $2 RETURNING schedule_id'
        if ((await query({ text, values })).length === 0) return false
        await query({ text: 'DELETE FROM polylogue.schedule_slots WHERE user_id = $1 AND schedule_id = $2', values })
        return true
      }),

    dueSchedules: (at, limit) =>
      idsOf('SELECT schedule_id FROM polylogue.schedules WHERE next_slot_at <= $1 ORDER BY next_slot_at LIMIT $2', [
        at,
        limit,
      ]),
    readSchedule: (scheduleId) =>
      db.asSystem(async (query) => {
        const text = `SELECT *, EXISTS (SELECT FROM polylogue.schedule_slots AS o WHERE o.user_id = s.user_id
            AND o.schedule_id = s.schedule_id AND o.status IN ('due', 'running')) AS is_busy
          FROM polylogue.schedules AS s WHERE schedule_id = $1`
        const [row] = await query({ text, values: [scheduleId] })
        return row && { schedule: scheduleIn(row), isBusy: row['is_busy'] === true }
      }),
    async nextSlotAt() {
      const text = 'SELECT min(next_slot_at) AS next FROM polylogue.schedules WHERE next_slot_at IS NOT NULL'
      const [row] = await db.asSystem((query) => query({ name: 'next_slot', text }))
      return optionalIntegerIn(row ?? {}, 'next')
    },
    schedulesByOtherRules: (version, limit) =>
      // An index finds what is smaller or larger, not what is different.
      idsOf(
        `(SELECT schedule_id FROM polylogue.schedules WHERE zone_rules < $1 LIMIT $2)
          UNION ALL (SELECT schedule_id FROM polylogue.schedules WHERE zone_rules > $1 LIMIT $2) LIMIT $2`,
        [version, limit],
      ),
    settleSlots: (schedule, slots) =>
      db.change(schedule.userId, async (query) => {
        if (!(await replace(query, schedule))) return false
        const { userId, scheduleId } = schedule
        for (const slot of slots) {
          const columns = { user_id: userId, ...toSlotColumns(toStoredSlot(slot)) }
          const { text, values } = insertInto('schedule_slots', columns)
          const made = await query({ text: `${text} ON CONFLICT DO NOTHING RETURNING slot_at`, values })
          if (made.length === 0) throw new Error(`The slot ${slot.slotAt} of ${scheduleId} has an outcome already.`)
        }
        const prune = `DELETE FROM polylogue.schedule_slots WHERE user_id = $1 AND schedule_id = $2
          AND coalesce(status, '') NOT IN ('due', 'running')
          AND slot_at <= (SELECT slot_at FROM polylogue.schedule_slots WHERE user_id = $1 AND schedule_id = $2
            ORDER BY slot_at DESC LIMIT 1 OFFSET ${SCHEDULE_LIMITS.slots})`
        await query({ text: prune, values: [userId, scheduleId] })
        return true
      }),

    openRuns: () =>
      db.asSystem(async (query) => {
        const rows = await query({ text: "SELECT * FROM polylogue.schedule_slots WHERE status IN ('due', 'running')" })
        const slots = rows.map(slotIn)
        const ids = [...new Set(slots.map(({ scheduleId }) => scheduleId))]
        const text = 'SELECT * FROM polylogue.schedules WHERE schedule_id = ANY ($1)'
        const found = ids.length === 0 ? [] : (await query({ text, values: [ids] })).map(scheduleIn)
        const schedules = new Map(found.map((schedule) => [schedule.scheduleId, schedule]))
        return slots.flatMap((slot) => {
          const schedule = schedules.get(slot.scheduleId)
          return schedule === undefined ? [] : runsIn(slot, schedule.userId).map((run) => ({ run, schedule }))
        })
      }),
    moveRun: (runId, from, to) =>
      db.asSystem(async (query) => {
        const select = 'SELECT * FROM polylogue.schedule_slots WHERE run_id = $1 FOR UPDATE'
        const [row] = await query({ text: select, values: [runId] })
        const slot = row && slotIn(row)
        if (slot?.run === undefined || !from.includes(slot.run.status)) return false
        const columns = toSlotColumns({ ...slot, run: { ...slot.run, ...to } })
        const text = `UPDATE polylogue.schedule_slots SET status = $2, error = $3, finished_at = $4, crc = $5
          WHERE run_id = $1`
        const { status, error: reason, finished_at, crc } = columns
        await query({ text, values: [runId, status, reason, finished_at, crc] })
        return true
      }),
    listRuns: (userId, scheduleId) =>
      db.asUser(userId, async (query) => {
        if ((await findOwned(query, userId, scheduleId)) === undefined) return []
        const text = `SELECT * FROM polylogue.schedule_slots WHERE user_id = $1 AND schedule_id = $2
          AND run_id IS NOT NULL ORDER BY slot_at DESC`
        const rows = await query({ text, values: [userId, scheduleId] })
        return rows.flatMap((row) => runsIn(slotIn(row), userId))
      }),
  }
}

function insertInto(table: string, columns: Columns): { text: string; values: readonly unknown[] } {
  const names = Object.keys(columns)
  const places = names.map((_, index) => `$${index + 1}`)
  return {
    text: `INSERT INTO polylogue.${table} (${names.join(', ')}) VALUES (${places.join(', ')})`,
    values: Object.values(columns),
  }
}
