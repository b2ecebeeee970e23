import type { SlotCalendar } from '@polylogue/engine'

const HOUR_MS = 60 * 60_000

/** Treats every expression as hourly. `Nowhere` is not a time zone. */
export const hourlyCalendar: SlotCalendar = {
  version: '1',
  problem(cron, timezone) {
    if (cron.split(' ').length !== 5) return { field: 'cron', message: 'must have five fields' }
    return timezone === 'Nowhere' ? { field: 'timezone', message: 'is not the name of a time zone' } : undefined
  },
  next: (_cron, _timezone, after) => (Math.floor(after / HOUR_MS) + 1) * HOUR_MS,
}
