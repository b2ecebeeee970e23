import {
  createScheduleBook,
  createScheduleRunner,
  createScheduledTurns,
  type AgentCatalog,
  type Clock,
  type Engine,
  type Ids,
  type LogEntry,
  type RandomBytes,
  type ScheduleBook,
  type ScheduleRunner,
  type ScheduleStore,
  type UserStore,
} from '@polylogue/engine'
import { LOCAL_USER, type KeyRing } from '../auth/key-ring.ts'
import type { BuiltInToolName } from '../config/built-in-names.ts'
import { createSlotCalendar } from './slot-calendar.ts'

/** Nobody answers a run that asks nobody, and nobody has seen what it schedules. */
const WITHHELD_TOOLS = ['AskUserQuestion', 'Schedule'] satisfies BuiltInToolName[]

const SHARED_LOOK_MS = 5_000

export interface SchedulesDeps {
  readonly store: ScheduleStore
  /** With the limits and the ceiling of its users. */
  readonly engine: Engine
  readonly agents: AgentCatalog & { readonly defaultName: string }
  readonly keys: Pick<KeyRing, 'list'>
  readonly users: Pick<UserStore, 'findUser'>
  readonly clock: Clock
  readonly random: RandomBytes
  /** Other nodes may add schedules, and leave runs behind when they die. */
  readonly isShared: boolean
  readonly ids: Pick<Ids, 'sessionId'>
  log(entry: LogEntry): void
}

/** What users want done at certain times: their book of it, and who looks at the clock. */
export interface Schedules extends Omit<ScheduleRunner, 'wake'> {
  readonly book: ScheduleBook
}

export function createSchedules(deps: SchedulesDeps): Schedules {
  const { store, engine, agents, keys, users, clock, random, isShared, ids, log } = deps
  const calendar = createSlotCalendar()
  const runner = createScheduleRunner({
    store,
    calendar,
    clock,
    random,
    sessionId: ids.sessionId,
    turns: createScheduledTurns({ engine, defaultAgent: () => agents.defaultName, withheldTools: WITHHELD_TOOLS }),
    // A user that nobody added needs a key; the user `local` always exists.
    isWelcome: async (userId) =>
      userId === LOCAL_USER || (await users.findUser(userId)) !== undefined || (await keys.list(userId)).length > 0,
    log,
    ...(isShared && { lookAgainMs: SHARED_LOOK_MS }),
  })
  const book = createScheduleBook({ store, calendar, clock, random, changed: () => runner.wake() })
  return { book, start: () => runner.start(), stop: () => runner.stop(), idle: () => runner.idle() }
}
