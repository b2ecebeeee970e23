import type { Problem } from './problem.ts'

export const MOST_RETRIES = 3
const FIRST_DELAY_MS = 1000
/** If a provider asks us to wait longer than this, the turn fails and names the wait. */
export const LONGEST_WAIT_MS = 60_000

/** The delay before the next attempt, or `undefined` when attempts are used up. `random` is in [0, 1). */
export function delayBeforeRetry(problem: Problem, retries: number, random: () => number): number | undefined {
  if (!problem.isTransient || retries >= MOST_RETRIES) return undefined
  const asked = problem.retryAfterMs ?? 0
  if (asked > LONGEST_WAIT_MS) return undefined
  const backoff = FIRST_DELAY_MS * 2 ** retries
  return Math.max(asked, backoff / 2) + (backoff / 2) * random()
}
