/** How the clocks on the walls of a time zone go, by the rules that this Node has. */
export interface ZoneClock {
  /** Wall time minus time, in milliseconds, and how long it stays so; perhaps longer than it says. */
  spanAt(instant: number): ZoneSpan
}

export interface ZoneSpan {
  readonly from: number
  /** The first instant after it. */
  readonly until: number
  readonly offset: number
}

/** No zone changes its clocks twice in that time: the shortest was a week, in Brazil in 2000. */
const PROBE_MS = 4 * 24 * 60 * 60_000
const FIRST_YEAR = 1970
/** More than a search visits. Clients choose the years, so not all of them are kept. */
const MOST_YEARS = 32

/** `undefined`: there is no such zone. */
export function createZoneClock(timezone: string): ZoneClock | undefined {
  const format = formatOf(timezone)
  if (format === undefined) return undefined
  const years = new Map<number, readonly ZoneSpan[]>()

  const offsetAt = (instant: number): number => {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = format
      .format(instant)
      .split(/\D+/)
      .map(Number)
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1_000) * 1_000
  }
  const spansOf = (year: number): readonly ZoneSpan[] => {
    const known = years.get(year) ?? findSpans(Date.UTC(year, 0), Date.UTC(year + 1, 0), offsetAt)
    years.set(year, known)
    const [oldest] = years.keys()
    if (years.size > MOST_YEARS && oldest !== undefined) years.delete(oldest)
    return known
  }
  return {
    spanAt(instant) {
      const spans = spansOf(Math.max(FIRST_YEAR, new Date(instant).getUTCFullYear()))
      const span = spans.find(({ until }) => instant < until) ?? spans.at(-1)
      if (span === undefined) throw new Error('a year has spans')
      return span
    },
  }
}

function findSpans(from: number, until: number, offsetAt: (instant: number) => number): readonly ZoneSpan[] {
  const spans: ZoneSpan[] = []
  let begin = from
  let offset = offsetAt(from)
  for (let probe = from; probe < until; probe += PROBE_MS) {
    const later = Math.min(probe + PROBE_MS, until)
    const next = offsetAt(later)
    if (next === offset) continue
    const change = findChange(probe, later, (instant) => offsetAt(instant) !== offset)
    spans.push({ from: begin, until: change, offset })
    begin = change
    offset = next
  }
  if (begin < until) spans.push({ from: begin, until, offset })
  return spans
}

/** The first whole second at which it is so. */
function findChange(before: number, after: number, isSo: (instant: number) => boolean): number {
  let [low, high] = [before / 1_000, after / 1_000]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (isSo(middle * 1_000)) high = middle
    else low = middle
  }
  return high * 1_000
}

function formatOf(timezone: string): Intl.DateTimeFormat | undefined {
  // Offsets such as +05:30 would pass for zones, too.
  if (!/^[A-Za-z][\w+/-]*$/.test(timezone)) return undefined
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
