import {
  SCHEDULE_LIMITS,
  type RunMove,
  type RunStatus,
  type Schedule,
  type ScheduleRun,
  type ScheduleStore,
  type Slot,
} from '@polylogue/engine'

interface KeptSlot {
  readonly slot: Slot
  readonly run?: ScheduleRun
}

interface Kept {
  schedule: Schedule
  /** In the order of time. */
  slots: KeptSlot[]
}

const isOpen = ({ run }: KeptSlot): boolean => run?.status === 'due' || run?.status === 'running'

export function createMemoryScheduleStore(): ScheduleStore {
  const schedules = new Map<string, Kept>()
  const open = new Set<string>()
  const all = (): Schedule[] => [...schedules.values()].map(({ schedule }) => schedule)
  const owned = (userId: string, scheduleId: string): Kept | undefined => {
    const kept = schedules.get(scheduleId)
    return kept?.schedule.userId === userId ? kept : undefined
  }
  /** What is kept, if this schedule is what comes after it. */
  const before = ({ scheduleId, revision }: Schedule): Kept | undefined => {
    const kept = schedules.get(scheduleId)
    return kept?.schedule.revision === revision - 1 ? kept : undefined
  }
  const refuseSettled = (kept: Kept, slots: readonly Slot[]): void => {
    for (const { scheduleId, slotAt } of slots) {
      if (kept.slots.some(({ slot }) => slot.slotAt === slotAt)) {
        throw new Error(`The slot ${slotAt} of ${scheduleId} has an outcome already.`)
      }
    }
  }
  const keepSlot = (kept: Kept, slot: Slot): void => {
    if (slot.run === undefined) {
      kept.slots.push({ slot })
      return
    }
    const { scheduleId, userId } = kept.schedule
    const { slotAt, decidedAt: triggeredAt } = slot
    kept.slots.push({ slot, run: { ...slot.run, scheduleId, userId, slotAt, status: 'due', triggeredAt } })
    open.add(scheduleId)
  }
  const prune = (kept: Kept): void => {
    const surplus = kept.slots.length - SCHEDULE_LIMITS.slots
    if (surplus > 0) kept.slots = kept.slots.filter((slot, index) => index >= surplus || isOpen(slot))
  }
  const openSlotsOf = (scheduleId: string): readonly KeptSlot[] => {
    const slots = schedules.get(scheduleId)?.slots.filter(isOpen) ?? []
    if (slots.length === 0) open.delete(scheduleId)
    return slots
  }

  return {
    async addSchedule(schedule) {
      const { scheduleId, userId } = schedule
      if (schedules.has(scheduleId)) return 'known'
      if (all().filter((one) => one.userId === userId).length >= SCHEDULE_LIMITS.perUser) return 'full'
      schedules.set(scheduleId, { schedule: structuredClone(schedule), slots: [] })
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
      kept.schedule = structuredClone(schedule)
      return true
    },
    async removeSchedule(userId, scheduleId) {
      if (owned(userId, scheduleId) === undefined) return false
      open.delete(scheduleId)
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
      return kept && { schedule: kept.schedule, isBusy: openSlotsOf(scheduleId).length > 0 }
    },
    async nextSlotAt() {
      const slots = all().flatMap(({ nextSlotAt }) => nextSlotAt ?? [])
      return slots.length === 0 ? undefined : slots.reduce((one, other) => Math.min(one, other))
    },
    schedulesByOtherRules: async (version, limit) =>
      all()
        .filter(({ zoneRules }) => zoneRules !== version)
        .slice(0, limit)
        .map(({ scheduleId }) => scheduleId),
    async settleSlots(schedule, slots) {
      const kept = before(schedule)
      if (kept === undefined) return false
      refuseSettled(kept, slots)
      kept.schedule = structuredClone(schedule)
      for (const slot of slots) keepSlot(kept, slot)
      prune(kept)
      return true
    },
    async openRuns() {
      return [...open].flatMap((scheduleId) => {
        const schedule = schedules.get(scheduleId)?.schedule
        if (schedule === undefined) return []
        return openSlotsOf(scheduleId).flatMap(({ run }) => (run === undefined ? [] : { run, schedule }))
      })
    },
    async moveRun(runId, from, to) {
      for (const scheduleId of open) {
        const kept = schedules.get(scheduleId)
        const index = kept?.slots.findIndex(({ run }) => run?.runId === runId) ?? -1
        const found = kept?.slots[index]
        if (kept === undefined || found?.run === undefined) continue
        if (!from.includes(found.run.status)) return false
        kept.slots[index] = { ...found, run: moved(found.run, to) }
        return true
      }
      return false
    },
    async listRuns(userId, scheduleId) {
      const slots = owned(userId, scheduleId)?.slots ?? []
      return slots.flatMap(({ run }) => run ?? []).reverse()
    },
  }
}

function moved(run: ScheduleRun, to: RunMove): ScheduleRun {
  const status: RunStatus = to.status
  return { ...run, ...to, status }
}
