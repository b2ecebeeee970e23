import { parseField, type FieldSpec } from './cron-field.ts'

/** A cron expression of five fields, on the clock on the wall. Wall times are written like instants of UTC. */
export interface CronRule {
  /** The rule is hourly or every few hours, so it follows the clock through changes of daylight saving time. */
  readonly isInterval: boolean
  /** The first whole minute after this wall time that it is for. */
  nextWall(wall: number): number
}

const LONGEST = 100
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Between two leap days there may be eight years. */
const FARTHEST_MS = 9 * 366 * DAY_MS

const FIELDS = [
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day of the month', least: 1, most: 31 },
  { name: 'month', least: 1, most: 12, names: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') },
  // Sunday is the first and the last day of the week, so that it can end a range.
  { name: 'day of the week', least: 0, most: 7, names: 'sun mon tue wed thu fri sat'.split(' ') },
] as const satisfies readonly FieldSpec[]

/** The rule, or what is wrong with the text. */
export function parseCron(text: string): CronRule | string {
  if (text.length > LONGEST) return `must have at most ${LONGEST} characters`
  const fields = text.trim().split(/\s+/)
  if (fields.length !== FIELDS.length) {
    return `must have five fields: ${FIELDS.map(({ name }) => name).join(', ')}`
  }
  const parsed = FIELDS.map((spec, index) => parseField(fields[index] ?? '', spec))
  const problem = parsed.find((field) => typeof field === 'string')
  if (problem !== undefined) return problem
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = parsed.filter((field) =>
    Array.isArray(field),
  )
  const isDay = dayTest({ days, months, weekdays, isAnyDay: fields[2] === '*', isAnyWeekday: fields[4] === '*' })
  const times = hours.flatMap((hour) => minutes.map((minute) => hour * HOUR_MS + minute * MINUTE_MS))
  const findNext = (wall: number): number | undefined => {
    const today = Math.floor(wall / DAY_MS) * DAY_MS
    const later = isDay(today) ? times[firstAfter(times, wall - today)] : undefined
    if (later !== undefined) return today + later
    const day = nextDay(today, isDay)
    return day === undefined ? undefined : day + (times[0] ?? 0)
  }
  // A rule that matches any date matches one within the longest gap between two leap days.
  if (findNext(0) === undefined) return 'there is no such date'
  return { isInterval: fields[1]?.startsWith('*') === true, nextWall: (wall) => findNext(wall) ?? Infinity }
}

interface DaySpec {
  readonly days: readonly number[]
  readonly months: readonly number[]
  readonly weekdays: readonly number[]
  readonly isAnyDay: boolean
  readonly isAnyWeekday: boolean
}

/** Whether a rule is for the day that begins here. With days of both kinds, one of them is enough, as everywhere. */
function dayTest({ days, months, weekdays, isAnyDay, isAnyWeekday }: DaySpec): (day: number) => boolean {
  const [inMonth, inWeek, inYear] = [new Set(days), new Set(weekdays.map((day) => day % 7)), new Set(months)]
  return (day) => {
    const date = new Date(day)
    if (!inYear.has(date.getUTCMonth() + 1)) return false
    if (isAnyDay) return inWeek.has(date.getUTCDay())
    return inMonth.has(date.getUTCDate()) || (!isAnyWeekday && inWeek.has(date.getUTCDay()))
  }
}

function nextDay(today: number, isDay: (day: number) => boolean): number | undefined {
  for (let day = today + DAY_MS; day <= today + FARTHEST_MS; day += DAY_MS) if (isDay(day)) return day
  return undefined
}

/** Where in a sorted list the first number is that is greater; beyond its end when there is none. */
function firstAfter(sorted: readonly number[], bound: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? Infinity) > bound) high = middle
    else low = middle + 1
  }
  return low
}
