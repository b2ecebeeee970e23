import type { Engine, ScheduleBook } from '@polylogue/engine'
import type { ScheduleToolOptions } from '@polylogue/tools'
import { sha256 } from '../platform/sha256.ts'

let timezone: string | undefined

/** Of schedules that name none. Not before somebody asks: it takes as long as half a start of Node. */
export const serverTimezone = (): string => (timezone ??= new Intl.DateTimeFormat().resolvedOptions().timeZone)

interface LateParts {
  readonly book: ScheduleBook
  readonly engine: Pick<Engine, 'readSession'>
}

/** What the tool `Schedule` works with. Tools are made before that is: it is asked for when one of them runs. */
export function createScheduleToolParts(find: () => LateParts): ScheduleToolOptions {
  return {
    book: {
      create: (...given) => find().book.create(...given),
      list: (userId) => find().book.list(userId),
      remove: (userId, scheduleId) => find().book.remove(userId, scheduleId),
    },
    agentOf: async (userId, sessionId) => (await find().engine.readSession(userId, sessionId)).agent,
    get timezone() {
      return serverTimezone()
    },
    digest: sha256,
  }
}

export const scheduleNothing: ScheduleToolOptions = createScheduleToolParts(() => {
  throw new Error('Nothing is scheduled here.')
})
