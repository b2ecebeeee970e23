import type { SlotCalendar } from '@polylogue/engine'
import { parseCron, type CronRule } from './cron-rule.ts'
import { createZoneClock, type ZoneClock } from './zone-clock.ts'

/** Beyond it dates have more than four digits, and nobody plans. */
const LAST_INSTANT = Date.UTC(9_000, 0)
/** More than any clock is ahead of UTC. */
const FARTHEST_AHEAD_MS = 15 * 60 * 60_000
const MOST_KEPT = 256

/** Cron expressions on the clocks of time zones, whatever these do in spring and autumn. */
export function createSlotCalendar(): SlotCalendar {
  const rules = remember(parseCron)
  const zones = remember(createZoneClock)
  return {
    version: process.versions['tz'] ?? 'unknown',
    problem(cron, timezone) {
      const rule = rules(cron)
      if (typeof rule === 'string') return { field: 'cron', message: rule }
      if (zones(timezone) === undefined) return { field: 'timezone', message: 'is not the name of a time zone' }
      return undefined
    },
    next(cron, timezone, after) {
      const rule = rules(cron)
      const zone = zones(timezone)
      if (typeof rule === 'string' || zone === undefined || after > LAST_INSTANT) return undefined
      const from = Math.max(0, after)
      return rule.isInterval ? nextOnTheClock(rule, zone, from) : nextOnce(rule, zone, from)
    },
  }
}

/** Every instant at which the clock shows a time of the rule. */
function nextOnTheClock(rule: CronRule, zone: ZoneClock, after: number): number | undefined {
  let span = zone.spanAt(after)
  let wall = rule.nextWall(after + span.offset)
  while (span.until <= LAST_INSTANT) {
    const instant = wall - span.offset
    if (instant < span.until) return instant
    span = zone.spanAt(span.until)
    wall = rule.nextWall(span.from + span.offset - 1)
  }
  return undefined
}

/** Each time of the rule once: when the clock first shows it, or as soon as it has jumped over it. */
function nextOnce(rule: CronRule, zone: ZoneClock, after: number): number | undefined {
  let wall = rule.nextWall(after + zone.spanAt(after).offset)
  while (wall <= LAST_INSTANT) {
    const instant = firstInstantOf(wall, zone)
    if (instant > after) return instant
    wall = rule.nextWall(wall)
  }
  return undefined
}

function firstInstantOf(wall: number, zone: ZoneClock): number {
  for (let span = zone.spanAt(wall - FARTHEST_AHEAD_MS); ; span = zone.spanAt(span.until)) {
    const instant = wall - span.offset
    if (instant < span.until) return Math.max(instant, span.from)
  }
}

/** The newest answers of a question whose answers are always the same. */
function remember<T>(answer: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.has(text) ? (known.get(text) as T) : answer(text)
    known.delete(text)
    known.set(text, found)
    const [oldest] = known.keys()
    if (known.size > MOST_KEPT && oldest !== undefined) known.delete(oldest)
    return found
  }
}
