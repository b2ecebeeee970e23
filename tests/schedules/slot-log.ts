import type { Schedule, ScheduleStore, Slot } from '@polylogue/engine'

/** Every outcome that a store was given, for longer than it keeps them. */
export interface SlotLog {
  readonly store: ScheduleStore
  readonly complaints: readonly string[]
  outcomes(): Readonly<Record<string, number>>
  /** What is wrong with the slots of a schedule: there are others than expected. */
  compare(schedule: Schedule, expected: readonly number[]): readonly string[]
}

export function createSlotLog(store: ScheduleStore): SlotLog {
  const complaints: string[] = []
  const slotsOf = new Map<string, Map<number, string>>()
  const counts: Record<string, number> = {}

  const note = ({ scheduleId, slotAt, outcome }: Slot): void => {
    const slots = slotsOf.get(scheduleId) ?? new Map<number, string>()
    slotsOf.set(scheduleId, slots)
    if (slots.has(slotAt)) complaints.push(`${scheduleId}: ${new Date(slotAt).toISOString()} has two outcomes`)
    slots.set(slotAt, outcome)
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return {
    store: {
      ...store,
      async settleSlots(schedule, slots) {
        const isSettled = await store.settleSlots(schedule, slots)
        if (isSettled) slots.forEach(note)
        return isSettled
      },
    },
    complaints,
    outcomes: () => counts,
    compare({ scheduleId, cron, timezone }, expected) {
      const found = slotsOf.get(scheduleId) ?? new Map<number, string>()
      const tell = (slotAt: number, what: string) => `${cron} in ${timezone}: ${new Date(slotAt).toISOString()} ${what}`
      const known = new Set(expected)
      return [
        ...expected.filter((slotAt) => !found.has(slotAt)).map((slotAt) => tell(slotAt, 'has no outcome')),
        ...[...found.keys()].filter((slotAt) => !known.has(slotAt)).map((slotAt) => tell(slotAt, 'is no slot')),
      ]
    },
  }
}
