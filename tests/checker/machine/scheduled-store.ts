import type fc from 'fast-check'
import type { EventStore } from '@polylogue/engine'
import { untilQuiet } from '@polylogue/testkit'

/** A store whose calls reach it, and whose answers come back, in whatever order the scheduler likes. */
export interface ScheduledStore {
  readonly slowed: (store: EventStore) => EventStore
  /** From now on the scheduler decides, until everything that was begun has come to rest. */
  play(begin: () => void): Promise<void>
}

export function createScheduledStore(scheduler: fc.Scheduler): ScheduledStore {
  let isScheduled = false
  const pass = async (name: string): Promise<void> => {
    if (isScheduled) await scheduler.schedule(Promise.resolve(), name)
  }
  return {
    slowed: (store) => {
      const through = <A extends unknown[], T>(name: string, ask: (...args: A) => Promise<T>) => {
        return async (...args: A): Promise<T> => {
          await pass(`ask ${name}`)
          const answer = await ask(...args)
          await pass(`answer ${name}`)
          return answer
        }
      }
      return {
        ...store,
        append: through('append', store.append),
        readEvents: through('readEvents', store.readEvents),
        readDrafts: through('readDrafts', store.readDrafts),
        findReceipt: through('findReceipt', store.findReceipt),
        takenNames: through('takenNames', store.takenNames),
        deleteSession: through('deleteSession', store.deleteSession),
        claim: through('claim', store.claim),
        release: through('release', store.release),
        wantedSessions: through('wantedSessions', store.wantedSessions),
        dropLeases: through('dropLeases', store.dropLeases),
      }
    },
    async play(begin) {
      isScheduled = true
      begin()
      for (await untilQuiet(); scheduler.count() > 0; await untilQuiet()) await scheduler.waitOne()
      isScheduled = false
    },
  }
}
