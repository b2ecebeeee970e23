import { setImmediate } from 'node:timers/promises'
import type { ScheduleStore } from '@polylogue/engine'

/** A store whose callers can be waited for. */
export interface SettlingStore {
  readonly store: ScheduleStore
  /** Resolves when no call is under way and nobody makes another one because of the last answer. */
  settle(): Promise<void>
}

export function createSettlingStore(whole: ScheduleStore): SettlingStore {
  const underWay = new Set<Promise<unknown>>()
  const track =
    <A extends unknown[], T>(ask: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      const asked = ask(...args)
      underWay.add(asked)
      try {
        return await asked
      } finally {
        underWay.delete(asked)
      }
    }
  return {
    store: {
      ...whole,
      dueSchedules: track((at, limit) => whole.dueSchedules(at, limit)),
      readSchedule: track((scheduleId) => whole.readSchedule(scheduleId)),
      replaceSchedule: track((schedule) => whole.replaceSchedule(schedule)),
      settleSlots: track((schedule, slots) => whole.settleSlots(schedule, slots)),
      openRuns: track(() => whole.openRuns()),
      moveRun: track((runId, from, to) => whole.moveRun(runId, from, to)),
      nextSlotAt: track(() => whole.nextSlotAt()),
    },
    async settle() {
      do {
        await Promise.allSettled(underWay)
        await setImmediate()
      } while (underWay.size > 0)
    },
  }
}
