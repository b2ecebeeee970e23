import {
  SCHEDULE_LIMITS,
  type RunStatus,
  type Schedule,
  type ScheduleRun,
  type ScheduleStore,
  type Slot,
} from '@polylogue/engine'

interface Kept {
  schedule: Schedule
  /** The slots by time, with their runs. */
  readonly slots: Map<number, ScheduleRun | undefined>
  /** The times of slots whose run has not ended. */
  readonly open: Set<number>
}

const isOpen = (status: RunStatus): boolean => status === 'due' || status === 'running'

export function createMemoryScheduleStore(): ScheduleStore {
  const schedules = new Map<string, Kept>()
  /** The location of runs that have not ended. */
  const openRuns = new Map<string, { readonly kept: Kept; readonly slotAt: number }>()
  const all = (): Schedule[] => Array.from(schedules.values(), ({ schedule }) => schedule)
  const owned = (userId: string, scheduleId: string): Kept | undefined => {
    const kept = schedules.get(scheduleId)
    return kept?.schedule.userId === userId ? kept : undefined
  }
  /** Returns the stored entry if this schedule is its next revision. */
  const before = ({ scheduleId, revision }: Schedule): Kept | undefined => {
    const kept = schedules.get(scheduleId)
    return kept?.schedule.revision === revision - 1 ? kept : undefined
  }
  const keepSlot = (kept: Kept, { slotAt, run, decidedAt: triggeredAt }: Slot): void => {
    const { scheduleId, userId } = kept.schedule
    kept.slots.set(slotAt, run && { ...run, scheduleId, userId, slotAt, status: 'due', triggeredAt })
    if (run === undefined) return
    kept.open.add(slotAt)
    openRuns.set(run.runId, { kept, slotAt })
  }
  const prune = ({ slots, open }: Kept): void => {
    let surplus = slots.size - SCHEDULE_LIMITS.slots
    for (const slotAt of slots.keys()) {
      if (surplus-- <= 0) return
      if (!open.has(slotAt)) slots.delete(slotAt)
    }
  }

  return {
    async addSchedule(schedule) {
      const { scheduleId, userId } = schedule
      if (schedules.has(scheduleId)) return 'known'
      if (all().filter((one) => one.userId === userId).length >= SCHEDULE_LIMITS.perUser) return 'full'
      schedules.set(scheduleId, { schedule, slots: new Map(), open: new Set() })
      return 'added'
    },
    findSchedule: async (userId, scheduleId) => owned(userId, scheduleId)?.schedule,
    listSchedules: async (userId) =>
      all()
        .filter((schedule) => schedule.userId === userId)
        .reverse(),
    async replaceSchedule(schedule) {
      const kept = before(schedule)
      if (kept === undefined) return false
      kept.schedule = schedule
      return true
    },
    async removeSchedule(userId, scheduleId) {
      const kept = owned(userId, scheduleId)
      if (kept === undefined) return false
      for (const run of kept.slots.values()) if (run !== undefined) openRuns.delete(run.runId)
      return schedules.delete(scheduleId)
    },
    async dueSchedules(at, limit) {
      return all()
        .filter(({ nextSlotAt = Infinity }) => nextSlotAt <= at)
        .sort((one, other) => (one.nextSlotAt ?? 0) - (other.nextSlotAt ?? 0))
        .slice(0, limit)
        .map(({ scheduleId }) => scheduleId)
    },
    async readSchedule(scheduleId) {
      const kept = schedules.get(scheduleId)
      return kept && { schedule: kept.schedule, isBusy: kept.open.size > 0 }
    },
    async nextSlotAt() {
      let earliest: number | undefined
      for (const { schedule } of schedules.values()) {
        const { nextSlotAt = Infinity } = schedule
        if (nextSlotAt < (earliest ?? Infinity)) earliest = nextSlotAt
      }
      return earliest
    },
    schedulesByOtherRules: async (version, limit) =>
      all()
        .filter(({ zoneRules }) => zoneRules !== version)
        .slice(0, limit)
        .map(({ scheduleId }) => scheduleId),
    async settleSlots(schedule, slots) {
      const kept = before(schedule)
      if (kept === undefined) return false
      const again = slots.find(({ slotAt }) => kept.slots.has(slotAt))
      if (again !== undefined) throw new Error(`The slot ${again.slotAt} has an outcome already.`)
      kept.schedule = schedule
      for (const slot of slots) keepSlot(kept, slot)
      prune(kept)
      return true
    },
    openRuns: async () =>
      Array.from(openRuns.values()).flatMap(({ kept: { schedule, slots }, slotAt }) => {
        const run = slots.get(slotAt)
        return run === undefined ? [] : { run, schedule }
      }),
    async moveRun(runId, from, to) {
      const place = openRuns.get(runId)
      const run = place?.kept.slots.get(place.slotAt)
      if (place === undefined || run === undefined || !from.includes(run.status)) return false
      place.kept.slots.set(place.slotAt, { ...run, ...to })
      if (isOpen(to.status)) return true
      place.kept.open.delete(place.slotAt)
      return openRuns.delete(runId)
    },
    async listRuns(userId, scheduleId) {
      const runs = owned(userId, scheduleId)?.slots.values() ?? []
      return Array.from(runs)
        .flatMap((run) => run ?? [])
        .reverse()
    },
  }
}
