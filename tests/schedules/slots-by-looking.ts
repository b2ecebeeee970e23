/**
 * The slots of a cron expression by another way: minute by minute it looks at the clock on the wall, and knows nothing
 * of offsets or of when clocks are changed. Slow, and simple enough to be believed.
 */
const MINUTE = 60_000
const HOURS_AROUND = 26

export function slotsByLooking(
  cron: string,
  timezone: string,
  { from, to }: { readonly from: number; readonly to: number },
): readonly number[] {
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
  const texts = cron.split(' ')
  const fits = (index: number, [least, most]: readonly [number, number], number: number): boolean =>
    (texts[index] ?? '').split(',').some((part) => {
      const [range = '', step = '1'] = part.split('/')
      const [from = 0, to = from] = range === '*' ? [least, most] : range.split('-').map(Number)
      return number >= from && number <= to && (number - from) % Number(step) === 0
    })
  return (wall) => {
    const date = new Date(wall)
    if (!fits(0, [0, 59], date.getUTCMinutes()) || !fits(1, [0, 23], date.getUTCHours())) return false
    if (!fits(3, [1, 12], date.getUTCMonth() + 1)) return false
    const isDay = fits(2, [1, 31], date.getUTCDate())
    const isWeekday = fits(4, [0, 6], date.getUTCDay())
    return texts[2] === '*' || texts[4] === '*' ? isDay && isWeekday : isDay || isWeekday
  }
}
