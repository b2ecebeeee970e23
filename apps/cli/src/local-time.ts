/** `2026-03-31 09:05`, in the zone of this machine. */
export function formatLocalTime(epochMs: number): string {
  const time = new Date(epochMs)
  const date = [time.getFullYear(), time.getMonth() + 1, time.getDate()].map(twoDigits).join('-')
  return `${date} ${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}`
}

function twoDigits(part: number): string {
  return String(part).padStart(2, '0')
}
