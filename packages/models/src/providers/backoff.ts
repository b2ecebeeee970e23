import type { Problem } from './problem.ts'

export const MOST_RETRIES = 3
const FIRST_DELAY_MS = 1000
/** Whoever asks for more patience than this gets none: the turn fails and says for how long. */
export const LONGEST_WAIT_MS = 60_000

/** How long to wait before the next attempt, or nothing if there is none. `random` is in [0, 1). */
export function delayBeforeRetry(problem: Problem, retries: number, random: () => number): number | undefined {
  if (!problem.isTransient || retries >= MOST_RETRIES) return undefined
  const asked = problem.retryAfterMs ?? 0
  if (asked > LONGEST_WAIT_MS) return undefined
  const backoff = FIRST_DELAY_MS * 2 ** retries
  return Math.max(asked, backoff / 2) + (backoff / 2) * random()
}
