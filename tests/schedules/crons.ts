/** About as often as there are days, most of them at hours that clocks are changed at. */
export const DAILY_CRONS = [
  '30 2 * * *',
  '0 0 * * 1-5',
  '15 1 * * *',
  '0 9 * * 1-5',
  '59 23 * * *',
  '45 2,3 * * 0',
  '30 0 * * *',
  '0 */12 * * 6',
  '5 3 * * *',
  '0 8 1,15 * *',
]

/** Several times a day. */
export const HOURLY_CRONS = [
  '0 * * * 6,0',
  '*/30 1-3 * * *',
  '15 */2 * * *',
  '0 0-9 * * *',
  '45 * * * 1',
  '*/20 2 * * *',
  '10 */3 * * *',
  '30 0-5 * * *',
]
