import { asUserId, type Schedule, type Stores } from '@polylogue/engine'
import { openSqliteStores } from '@polylogue/store-sqlite'
import { join } from 'node:path'
import { realClock } from './real-clock.ts'

/** The database of a server, beside it or while it is away. */
export async function withStores<T>(dataDir: string, use: (stores: Stores) => Promise<T>): Promise<T> {
  const stores = await openSqliteStores({ file: join(dataDir, 'polylogue.db'), clock: realClock })
  try {
    return await use(stores)
  } finally {
    await stores.close()
  }
}

/** Its next slot is this very moment, as if the minute had come. A server notices when it looks next. */
export function makeDue(dataDir: string, scheduleId: string, user = 'local'): Promise<void> {
  return withStores(dataDir, async ({ schedules }) => {
    const schedule = await schedules.findSchedule(asUserId(user), scheduleId)
    const now = Date.now()
    const due: Schedule | undefined = schedule && {
      ...schedule,
      decidedUntil: now - 1,
      nextSlotAt: now,
      revision: schedule.revision + 1,
    }
    if (due === undefined || !(await schedules.replaceSchedule(due))) throw new Error(`${scheduleId} was not made due`)
  })
}
