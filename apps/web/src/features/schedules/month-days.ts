/** The days of a month as a calendar shows them: whole weeks from Monday, in the time zone of the browser. */
export function monthDays(month: Date): readonly Date[] {
  const first = new Date(month.getFullYear(), month.getMonth(), 1)
  const before = (first.getDay() + 6) % 7
  const days = new Date(month.getFullYear(), month.getMonth() + 1, 0).getDate()
  const weeks = Math.ceil((before + days) / 7)
  return Array.from(
    { length: weeks * 7 },
    (_, index) => new Date(month.getFullYear(), month.getMonth(), 1 - before + index),
  )
}

/** Such as `2026-11-16`, in the time zone of the browser. */
export const dayKey = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => `${part}`.padStart(2, '0')).join('-')
