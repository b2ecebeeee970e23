/**
 * The slots of a cron expression by another way: minute by minute it looks at the clock on the wall, and knows nothing
 * of offsets or of when clocks are changed. Slow, and simple enough to be believed.
 */
import { parseField } from '../cron-field.ts'

const MINUTE = 60_000
const HOURS_AROUND = 26

export function slotsByLooking(cron: string, timezone: string, from: number, to: number): readonly number[] {
  const isMeant = readExpression(cron)
  const isInterval = cron.split(' ')[1]?.startsWith('*') === true
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  const look = (instant: number): number => {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = clock.format(instant).split(/\D+/).map(Number)
    return Date.UTC(year, month - 1, day, hour, minute)
  }
  const found: number[] = []
  const start = from - HOURS_AROUND * 60 * MINUTE
  /** The latest that the clock has shown so far. */
  let latest = look(start - MINUTE)
  for (let instant = start; instant < to; instant += MINUTE) {
    const wall = look(instant)
    const isShown = isInterval ? isMeant(wall) : wall > latest && anyMeant(latest + MINUTE, wall, isMeant)
    if (isShown && instant >= from) found.push(instant)
    latest = Math.max(latest, wall)
  }
  return found
}

/** Whether a time up to this one is meant that the clock has not shown yet: more than one when it jumps. */
function anyMeant(first: number, last: number, isMeant: (wall: number) => boolean): boolean {
  for (let wall = first; wall <= last; wall += MINUTE) if (isMeant(wall)) return true
  return false
}

function readExpression(cron: string): (wall: number) => boolean {
  const bounds = [0, 59, 0, 23, 1, 31, 1, 12, 0, 7]
  const texts = cron.split(' ')
  const [minutes, hours, days, months, weekdays] = texts.map((text, index) => {
    const numbers = parseField(text, { name: '', least: bounds[2 * index] ?? 0, most: bounds[2 * index + 1] ?? 0 })
    return new Set(typeof numbers === 'string' ? [] : numbers)
  })
  return (wall) => {
    const date = new Date(wall)
    if (!minutes?.has(date.getUTCMinutes()) || !hours?.has(date.getUTCHours())) return false
    if (!months?.has(date.getUTCMonth() + 1)) return false
    const isDay = days?.has(date.getUTCDate()) === true
    const isWeekday = weekdays?.has(date.getUTCDay()) === true || (date.getUTCDay() === 0 && weekdays?.has(7) === true)
    return texts[2] === '*' || texts[4] === '*' ? isDay && isWeekday : isDay || isWeekday
  }
}
