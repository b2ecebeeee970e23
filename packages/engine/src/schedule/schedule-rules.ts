/**
 * Decides what a schedule does next. A slot is an instant at which the cron expression is due. Each slot is decided
 * once, in chronological order: the same write stores its outcome and moves `decidedUntil` past it. Everything here is
 * pure.
 */
import type { NewRun, Schedule, Slot, SlotOutcome, StandingSchedule } from '../ports/schedule-store.ts'
import type { SlotCalendar } from '../ports/slot-calendar.ts'

/** Slots that are overdue by more than this are skipped, because their work is probably no longer useful. */
export const LATE_MS = 60_000

/** The fields that a user sets. The server sets all others. */
export type ScheduleFields = Pick<
  Schedule,
  'title' | 'prompt' | 'cron' | 'timezone' | 'isEnabled' | 'expiresAt' | 'isUnattended' | 'model'
>
export type ScheduleChanges = { readonly [name in keyof ScheduleFields]?: ScheduleFields[name] | undefined } & {
  /** Fields to remove. */
  readonly cleared?: readonly ('expiresAt' | 'model')[]
}

export interface NewSchedule extends ScheduleFields, Pick<Schedule, 'agent' | 'sourceSession'> {}

export interface Moment {
  readonly now: number
  readonly calendar: SlotCalendar
}

export function createSchedule(
  fields: NewSchedule,
  owner: Pick<Schedule, 'scheduleId' | 'userId'>,
  { now, calendar }: Moment,
): Schedule {
  const { sourceSession, agent } = fields
  return withNextSlot(
    {
      ...owner,
      ...fieldsOf(fields),
      ...(agent !== undefined && { agent }),
      ...(sourceSession !== undefined && { sourceSession }),
      createdAt: now,
      decidedUntil: now,
      zoneRules: calendar.version,
      revision: 1,
    },
    calendar,
  )
}

/** A change of the cron expression or the time zone discards slots that are not decided yet. */
export function changeSchedule(schedule: Schedule, changes: ScheduleChanges, { now, calendar }: Moment): Schedule {
  const { cleared = [], ...given } = changes
  const rest = Object.fromEntries(Object.entries(schedule).filter(([name]) => !isIn(cleared, name))) as Schedule
  const fields = fieldsOf({ ...rest, ...definedOf(given) })
  const isOtherRule = fields.cron !== schedule.cron || fields.timezone !== schedule.timezone
  const isAnew = isOtherRule || schedule.nextSlotAt === undefined
  const decidedUntil = isAnew ? Math.max(schedule.decidedUntil, now) : schedule.decidedUntil
  return withNextSlot({ ...rest, ...fields, decidedUntil, revision: schedule.revision + 1 }, calendar)
}

const isIn = (names: readonly string[], name: string): boolean => names.includes(name)

/** Recomputes the next slot with the current time-zone rules. */
export function applyZoneRules(schedule: Schedule, calendar: SlotCalendar): Schedule {
  return withNextSlot({ ...schedule, revision: schedule.revision + 1 }, calendar)
}

export interface SlotCircumstances extends Moment {
  /** The user is no longer allowed to run anything. */
  readonly isRefused: boolean
  /** The maximum number of slots to decide at once. */
  readonly limit: number
  makeRun(): NewRun
}

export interface SettledSlots {
  readonly schedule: Schedule
  readonly slots: readonly Slot[]
}

/** Returns the outcomes of the slots that are due, oldest first, and the updated schedule. */
export function settleDueSlots(standing: StandingSchedule, circumstances: SlotCircumstances): SettledSlots {
  const { now, calendar, limit, makeRun } = circumstances
  const { scheduleId } = standing.schedule
  const slots: Slot[] = []
  let { schedule, isBusy } = standing
  let slotAt = schedule.nextSlotAt
  while (slotAt !== undefined && slotAt <= now && slots.length < limit) {
    const outcome = outcomeOf(slotAt, isBusy, circumstances)
    const slot = { scheduleId, slotAt, decidedAt: now }
    slots.push(outcome === 'fired' ? { ...slot, outcome, run: makeRun() } : { ...slot, outcome })
    isBusy ||= outcome === 'fired'
    schedule = withNextSlot({ ...schedule, decidedUntil: slotAt }, calendar)
    slotAt = schedule.nextSlotAt
  }
  return { schedule: { ...schedule, revision: standing.schedule.revision + 1 }, slots }
}

function outcomeOf(slotAt: number, isBusy: boolean, { now, isRefused }: SlotCircumstances): SlotOutcome {
  if (now - slotAt > LATE_MS) return 'skipped-late'
  if (isRefused) return 'skipped-rights'
  return isBusy ? 'skipped-busy' : 'fired'
}

/** The possible slots in `[from, to)`, earliest first. */
export function* occurrencesOf(
  schedule: Schedule,
  { from, to }: { readonly from: number; readonly to: number },
  calendar: SlotCalendar,
): Iterable<number> {
  for (let slotAt = slotAfter(schedule, from - 1, calendar); slotAt !== undefined && slotAt < to;) {
    yield slotAt
    slotAt = slotAfter(schedule, slotAt, calendar)
  }
}

function withNextSlot({ nextSlotAt: _, ...schedule }: Schedule, calendar: SlotCalendar): Schedule {
  const nextSlotAt = slotAfter(schedule, schedule.decidedUntil, calendar)
  return { ...schedule, ...(nextSlotAt !== undefined && { nextSlotAt }), zoneRules: calendar.version }
}

function slotAfter(
  { isEnabled, cron, timezone, expiresAt = Infinity }: Schedule,
  after: number,
  calendar: SlotCalendar,
): number | undefined {
  const slotAt = isEnabled ? calendar.next(cron, timezone, after) : undefined
  return slotAt !== undefined && slotAt <= expiresAt ? slotAt : undefined
}

/** Makes texts well-formed, because a database would return malformed text changed. */
function fieldsOf({ title, prompt, cron, timezone, isEnabled, expiresAt, isUnattended, model }: ScheduleFields) {
  return {
    title: title.toWellFormed(),
    prompt: prompt.toWellFormed(),
    cron,
    timezone,
    isEnabled,
    isUnattended,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(model !== undefined && { model: model.toWellFormed() }),
  }
}

function definedOf<T extends object>(value: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as {
    [Name in keyof T]?: NonNullable<T[Name]>
  }
}
