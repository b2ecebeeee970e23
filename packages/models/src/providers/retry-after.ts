import type { ErrorFacts } from './error-facts.ts'

/** The wait a provider asks for, from the header or, for Google, the body. */
export function readRetryAfter({ headers, text }: ErrorFacts, now: number): number | undefined {
  const milliseconds = Number(headers['retry-after-ms'])
  if (headers['retry-after-ms'] !== undefined && milliseconds >= 0) return milliseconds
  const value = headers['retry-after']
  if (value !== undefined) {
    const seconds = Number(value)
    if (seconds >= 0) return seconds * 1000
    const date = Date.parse(value)
    if (!Number.isNaN(date)) return Math.max(0, date - now)
  }
  const delay = /"retrydelay":\s*"(?<seconds>\d+(?:\.\d+)?)s"/.exec(text)?.groups?.['seconds']
  return delay === undefined ? undefined : Number(delay) * 1000
}
