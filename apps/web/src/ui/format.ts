/** Numbers, durations and times in the words of the chosen language. */
export function formatDuration(ms: number, language: string): string {
  const seconds = ms / 1000
  if (ms < 100) return `${new Intl.NumberFormat(language, { maximumFractionDigits: 0 }).format(ms)} ms`
  if (seconds < 59.5) {
    const digits = seconds < 10 ? 1 : 0
    return `${new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(seconds)} s`
  }
  const whole = Math.round(seconds)
  return `${inUnit(Math.floor(whole / 60), 'minute', language)} ${inUnit(whole % 60, 'second', language)}`
}

/** Such as `0:07` or `1:02:03`: as wide in every language. */
export function formatClock(seconds: number): string {
  const two = (count: number): string => `${count}`.padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  const rest = two(seconds % 60)
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${two(minutes % 60)}:${rest}`
}

const inUnit = (count: number, unit: 'second' | 'minute' | 'hour' | 'day', language: string): string =>
  new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'narrow' }).format(count)

export const formatCount = (count: number, language: string): string =>
  new Intl.NumberFormat(language, { notation: count >= 10_000 ? 'compact' : 'standard' }).format(count)

export const formatPercent = (ratio: number, language: string): string =>
  new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 }).format(ratio)

/** Such as `now`, `3m`, `5h` or a date. */
export function formatAge(time: string, language: string, now = Date.now()): string {
  const minutes = Math.max(0, Math.floor((now - Date.parse(time)) / 60_000))
  if (minutes === 0) return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(0, 'second')
  if (minutes < 60) return inUnit(minutes, 'minute', language)
  if (minutes < 24 * 60) return inUnit(Math.floor(minutes / 60), 'hour', language)
  if (minutes < 7 * 24 * 60) return inUnit(Math.floor(minutes / (24 * 60)), 'day', language)
  return new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric' }).format(new Date(time))
}

export const formatTime = (time: string, language: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(time))
