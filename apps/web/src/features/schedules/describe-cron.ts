/** Tells when a cron expression is due, as a sentence in the chosen language. */
import type { TFunction } from 'i18next'

type Field = 'minute' | 'hour' | 'day' | 'month' | 'weekday'
const RANGES: Readonly<Record<Field, readonly [number, number]>> = {
  minute: [0, 59],
  hour: [0, 23],
  day: [1, 31],
  month: [1, 12],
  weekday: [0, 7],
}
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const NAMED: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
}
/** More times of a day than this are no sentence. */
const MOST_TIMES = 6

/** `all`: the field is `*`. `step`: it is `∗/n`. */
interface Parsed {
  readonly values: readonly number[]
  readonly isAll: boolean
  readonly step?: number
}

export interface CronWords {
  readonly t: TFunction
  readonly language: string
}

/** `undefined` for an expression that is not read as a sentence; it is shown as it is. */
export function describeCron(cron: string, words: CronWords): string | undefined {
  const fields = (NAMED[cron.trim().toLowerCase()] ?? cron).trim().split(/\s+/)
  if (fields.length !== 5) return undefined
  const names = ['minute', 'hour', 'day', 'month', 'weekday'] as const
  const [minute, hour, day, month, weekday] = fields.map((text, index) => parseField(text, names[index] ?? 'minute'))
  if (!minute || !hour || !day || !month || !weekday) return undefined
  // With both, a day that matches either of them is due.
  if (!day.isAll && !weekday.isAll) return undefined
  const days = describeDays({ day, month, weekday }, words)
  const times = listTimes(minute, hour, words)
  if (times !== undefined) return words.t('cronAt', { days: days ?? words.t('cronEveryDay'), times })
  const often = describeOften(minute, hour, words)
  if (often === undefined || days === undefined) return often
  return words.t('cronDuring', { often, days })
}

function parseField(text: string, field: Field): Parsed | undefined {
  const [least, most] = RANGES[field]
  if (text === '*' || text === '?') return { values: [], isAll: true }
  const step = /^\*\/(\d+)$/.exec(text)
  if (step !== null) {
    const by = Number(step[1])
    // An uneven step begins anew with each hour, day or month, which no short sentence says.
    const isEven = by > 1 && (most + (least === 0 ? 1 : 0)) % by === 0
    return (field === 'minute' || field === 'hour') && isEven ? { values: [], isAll: false, step: by } : undefined
  }
  const values = new Set<number>()
  for (const part of text.split(',')) {
    const [first, last = first, ...more] = part.split('-').map((name) => toNumber(name, field))
    if (first === undefined || last === undefined || more.length > 0) return undefined
    if (!(least <= first && first <= last && last <= most)) return undefined
    for (let value = first; value <= last; value++) values.add(field === 'weekday' ? value % 7 : value)
  }
  return { values: [...values].toSorted((left, right) => left - right), isAll: false }
}

function toNumber(text: string, field: Field): number | undefined {
  if (/^\d{1,2}$/.test(text)) return Number(text)
  const names = field === 'month' ? MONTHS : field === 'weekday' ? WEEKDAYS : []
  const index = names.indexOf(text.toLowerCase())
  if (index === -1) return undefined
  return field === 'month' ? index + 1 : index
}

/** The times of a day, if they are few. */
function listTimes(minute: Parsed, hour: Parsed, { language }: CronWords): string | undefined {
  const count = minute.values.length * hour.values.length
  if (count === 0 || count > MOST_TIMES) return undefined
  const format = new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone: 'UTC' })
  const times = hour.values.flatMap((h) =>
    minute.values.map((m) => format.format(new Date(Date.UTC(2000, 0, 1, h, m)))),
  )
  return listOf(times, language)
}

function describeOften(minute: Parsed, hour: Parsed, { t, language }: CronWords): string | undefined {
  const often = describeMinutes(minute, hour, { t, language })
  if (often === undefined || hour.values.length === 0) return often
  const [first = 0] = hour.values
  const last = hour.values.at(-1) ?? first
  if (last - first + 1 !== hour.values.length) return undefined
  const at = (h: number, m: number): string =>
    new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone: 'UTC' }).format(
      new Date(Date.UTC(2000, 0, 1, h, m)),
    )
  return t('cronBetween', { often, first: at(first, 0), last: at(last, 59) })
}

function describeMinutes(minute: Parsed, hour: Parsed, { t, language }: CronWords): string | undefined {
  if (minute.isAll) return hour.step === undefined ? t('cronEveryMinute') : undefined
  if (minute.step !== undefined) return hour.step === undefined ? t('cronMinutes', { count: minute.step }) : undefined
  const hours = hour.step === undefined ? t('cronEveryHour') : t('cronHours', { count: hour.step })
  if (minute.values.length === 1 && minute.values[0] === 0) return hours
  return t('cronPast', { hours, minutes: listOf(minute.values.map(String), language) })
}

interface DayFields {
  readonly day: Parsed
  readonly month: Parsed
  readonly weekday: Parsed
}

/** `undefined`: every day. */
function describeDays({ day, month, weekday }: DayFields, { t, language }: CronWords): string | undefined {
  const months = listOf(
    month.values.map((value) => nameOf(new Date(Date.UTC(2000, value - 1, 1)), { month: 'long' }, language)),
    language,
  )
  if (!day.isAll) {
    const days = listOf(day.values.map(String), language)
    return month.isAll ? t('cronMonthDays', { days }) : t('cronYearDays', { days, months })
  }
  const days = weekday.isAll ? undefined : describeWeekdays(weekday.values, { t, language })
  return month.isAll ? days : t('cronMonths', { days: days ?? t('cronEveryDay'), months })
}

function describeWeekdays(values: readonly number[], { t, language }: CronWords): string {
  // 2000-01-02 was a Sunday. The week of a sentence begins on Monday.
  const week = values.map((value) => (value === 0 ? 7 : value)).toSorted((left, right) => left - right)
  const names = week.map((value) => nameOf(new Date(Date.UTC(2000, 0, 2 + value)), { weekday: 'long' }, language))
  const [first = '', last = first] = [names[0], names.at(-1)]
  const isRun = week.every((value, index) => value === (week[0] ?? 0) + index)
  return isRun && week.length > 2 ? t('cronWeekdays', { first, last }) : listOf(names, language)
}

const nameOf = (date: Date, options: Intl.DateTimeFormatOptions, language: string): string =>
  new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(date)

const listOf = (texts: readonly string[], language: string): string =>
  new Intl.ListFormat(language, { type: 'conjunction' }).format(texts)
