/** Numbers, durations and times in the words of the chosen language. */
export function formatDuration(ms: number, language: string): string {
  const seconds = ms / 1000
  if (ms < 100) return `${new Intl.NumberFormat(language, { maximumFractionDigits: 0 }).format(ms)} ms`
  if (seconds < 60) {
    const digits = seconds < 10 ? 1 : 0
    return `${new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(seconds)} s`
  }
  const minutes = Math.floor(seconds / 60)
  return `${minutes} min ${Math.round(seconds % 60)} s`
}

export const formatCount = (count: number, language: string): string =>
  new Intl.NumberFormat(language, { notation: count >= 10_000 ? 'compact' : 'standard' }).format(count)

export const formatPercent = (ratio: number, language: string): string =>
  new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 }).format(ratio)

/** Such as `now`, `3m`, `5h` or a date. */
export function formatAge(time: string, language: string, now = Date.now()): string {
  const minutes = Math.max(0, Math.floor((now - Date.parse(time)) / 60_000))
  const unit = (count: number, name: 'minute' | 'hour' | 'day'): string =>
    new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'narrow' }).format(count)
  if (minutes === 0) return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(0, 'second')
  if (minutes < 60) return unit(minutes, 'minute')
  if (minutes < 24 * 60) return unit(Math.floor(minutes / 60), 'hour')
  if (minutes < 7 * 24 * 60) return unit(Math.floor(minutes / (24 * 60)), 'day')
  return new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric' }).format(new Date(time))
}

export const formatTime = (time: string, language: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(time))
