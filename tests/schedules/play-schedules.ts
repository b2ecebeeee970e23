/**
 * Years of schedules in seconds. Three processes look after one store; each dies now and then, before or after anything
 * that it asks of the store or the engine, and another takes its place, sometimes only days later. Clocks are set by an
 * hour or a day, and set right again. Halfway all of them learn new rules of time zones.
 */
import {
  asUserId,
  createScheduleBook,
  createScheduleRunner,
  type Clock,
  type ScheduleRunnerDeps,
  type ScheduleStore,
  type ScheduledTurns,
  type SlotCalendar,
} from '@polylogue/engine'
import { loadSlotCalendar } from '@polylogue/server'
import { createMemoryScheduleStore, untilQuiet } from '@polylogue/testkit'
import { createSlotLog } from './slot-log.ts'
import { createTurnLog } from './turn-log.ts'
import { ZONES } from './zones.ts'

export interface PlayOptions {
  /** A new number below 1 each time. */
  random(): number
  readonly from: number
  readonly until: number
  /** One schedule in each zone; these are dealt out among them. */
  readonly crons: readonly string[]
  /** Default: one in memory. */
  readonly store?: ScheduleStore
  /** Resolves when the processes have nothing to do until they are woken. Default: for a store in memory. */
  settle?(): Promise<void>
  /** For a test of the test: what the processes have for a store. */
  spoil?(store: ScheduleStore): ScheduleStore
}

export interface Played {
  readonly slots: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly deaths: number
  readonly complaints: readonly string[]
}

const ADA = asUserId('ada')
const SECOND = 1_000
const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR
const PROCESSES = 3
const DEATH = 0.002
const SETTINGS = [-DAY, -HOUR, HOUR, DAY]

export async function playSchedules({
  random,
  from,
  until,
  crons,
  store = createMemoryScheduleStore(),
  settle = untilQuiet,
  spoil = (whole) => whole,
}: PlayOptions): Promise<Played> {
  let now = from
  let real = from
  let deaths = 0
  const clock: Clock = { now: () => Math.floor(now), setTimer: () => ({ cancel: () => undefined }) }
  const rules = await loadSlotCalendar()
  /** Before the new rules, some zones went by the clocks of a neighbour. */
  const oldRules: SlotCalendar = {
    ...rules,
    version: 'old',
    next: (cron, timezone, after) => rules.next(cron, NEIGHBOURS[timezone] ?? timezone, after),
  }
  let calendar = oldRules
  const slotLog = createSlotLog(store)
  const shared = spoil(slotLog.store)
  const turnLog = createTurnLog({ random, clock })
  const randomBytes = (length: number) => Uint8Array.from({ length }, () => Math.floor(random() * 256))
  let sessions = 0

  const startProcess = () => {
    let isDead = false
    const never = <T>(): Promise<T> => new Promise(() => undefined)
    const mortal = async <T>(ask: () => Promise<T>): Promise<T> => {
      if (isDead) return never()
      const fate = random()
      if (fate < DEATH) die()
      if (fate < DEATH / 2) return never()
      const answer = await ask()
      return isDead ? never() : answer
    }
    const die = (): void => {
      isDead = true
      deaths += 1
    }
    const deps: ScheduleRunnerDeps = {
      store: mortalStore(shared, mortal),
      turns: mortalTurns(turnLog.turns, mortal),
      calendar,
      clock,
      random: randomBytes,
      sessionId: () => turnLog.sessionId(++sessions),
      isWelcome: () => mortal(async () => random() > 0.01),
      log: () => undefined,
    }
    const runner = createScheduleRunner(deps)
    runner.start()
    return { runner, isDead: () => isDead, kill: die }
  }

  const book = createScheduleBook({ store, calendar, clock, random: randomBytes, changed: () => undefined })
  const chosen = ZONES.map((timezone, index) => ({ timezone, cron: crons[index % crons.length] ?? '' }))
  for (const { timezone, cron } of chosen) {
    const fields = { title: timezone, prompt: 'x', cron, timezone, isEnabled: true, isUnattended: false }
    await book.create(ADA, fields)
  }

  let processes = Array.from({ length: PROCESSES }, startProcess)
  let setBackAt = Infinity
  let skew = 0
  const learnAt = (from + until) / 2
  const learned = new Map<string, number>()
  while (real < until) {
    const nextSlotAt = (await store.nextSlotAt()) ?? until
    // Mostly a little late, now and then a minute or days.
    const lateness = random() < 0.998 ? random() * 50 * SECOND : random() * random() * 10 * DAY
    real = Math.max(real, Math.min(until, nextSlotAt - skew) + lateness)
    if (real > setBackAt) [skew, setBackAt] = [0, Infinity]
    else if (random() < 0.002) {
      skew = SETTINGS[Math.floor(random() * SETTINGS.length)] ?? 0
      setBackAt = real + random() * 2 * DAY
    }
    now = real + skew
    if (calendar === oldRules && real >= learnAt) {
      for (const { scheduleId, decidedUntil } of await store.listSchedules(ADA)) learned.set(scheduleId, decidedUntil)
      for (const one of processes) one.kill()
      calendar = rules
    }
    processes = processes.map((one) => (one.isDead() && random() < 0.5 ? startProcess() : one))
    turnLog.endWhatIsOver()
    // All of them at once, or one alone: they would all look within half a minute.
    const lonely = random() < 0.6 ? Math.floor(random() * PROCESSES) : undefined
    for (const [index, one] of processes.entries()) if (lonely === undefined || lonely === index) one.runner.wake()
    await settle()
  }

  // Whatever was left is taken up by those that do not die any more.
  now = until + 2 * DAY
  for (const one of processes) one.kill()
  const last = createScheduleRunner({
    store: shared,
    turns: turnLog.turns,
    calendar,
    clock,
    random: randomBytes,
    sessionId: () => turnLog.sessionId(++sessions),
    isWelcome: async () => true,
    log: () => undefined,
  })
  last.start()
  await settle()
  await last.stop()
  turnLog.endAll()
  await settle()
  await last.idle()

  const complaints = [...slotLog.complaints, ...turnLog.complaints]
  let slots = 0
  for (const schedule of await store.listSchedules(ADA)) {
    const { scheduleId, decidedUntil } = schedule
    const turningPoint = learned.get(scheduleId) ?? Infinity
    const expected = [
      ...slotsBetween(oldRules, schedule, { after: from, until: Math.min(turningPoint, decidedUntil) }),
      ...slotsBetween(rules, schedule, { after: turningPoint, until: decidedUntil }),
    ]
    slots += expected.length
    complaints.push(...slotLog.compare(schedule, expected))
    complaints.push(...turnLog.compare(await store.listRuns(ADA, scheduleId)))
    if (decidedUntil < until - 40 * DAY) complaints.push(`${schedule.timezone} ${schedule.cron} came to a halt`)
  }
  return { slots, outcomes: slotLog.outcomes(), deaths, complaints }
}

const NEIGHBOURS: Readonly<Record<string, string>> = {
  'Europe/Berlin': 'Europe/London',
  'Europe/Istanbul': 'Europe/Athens',
  'America/Sao_Paulo': 'America/Santiago',
  'Asia/Kathmandu': 'Asia/Kolkata',
  'Pacific/Norfolk': 'Australia/Sydney',
}

function slotsBetween(
  calendar: SlotCalendar,
  { cron, timezone }: { readonly cron: string; readonly timezone: string },
  { after, until }: { readonly after: number; readonly until: number },
): readonly number[] {
  const slots: number[] = []
  let slotAt = calendar.next(cron, timezone, after)
  while (slotAt !== undefined && slotAt <= until) {
    slots.push(slotAt)
    slotAt = calendar.next(cron, timezone, slotAt)
  }
  return slots
}

type Mortal = <T>(ask: () => Promise<T>) => Promise<T>

function mortalStore(store: ScheduleStore, mortal: Mortal): ScheduleStore {
  return {
    ...store,
    dueSchedules: (at, limit) => mortal(() => store.dueSchedules(at, limit)),
    readSchedule: (scheduleId) => mortal(() => store.readSchedule(scheduleId)),
    replaceSchedule: (schedule) => mortal(() => store.replaceSchedule(schedule)),
    settleSlots: (schedule, slots) => mortal(() => store.settleSlots(schedule, slots)),
    openRuns: () => mortal(() => store.openRuns()),
    moveRun: (runId, from, to) => mortal(() => store.moveRun(runId, from, to)),
  }
}

function mortalTurns(turns: ScheduledTurns, mortal: Mortal): ScheduledTurns {
  return {
    hasBegun: (run) => mortal(() => turns.hasBegun(run)),
    begin: (open) => mortal(() => turns.begin(open)),
    end: (run) => mortal(() => turns.end(run)),
  }
}
