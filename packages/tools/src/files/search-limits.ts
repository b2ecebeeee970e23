/** The limits of one search. At a limit it stops and says what it skipped. */
export interface SearchLimits {
  /** Names of files and directories looked at. */
  readonly entries: number
  /** The bytes of all files together. */
  readonly bytes: number
  /** Larger files are skipped. */
  readonly fileBytes: number
  readonly ms: number
  /** The time for one file, because a regular expression may never end. */
  readonly patternMs: number
}

export const SEARCH_LIMITS: SearchLimits = {
  entries: 200_000,
  bytes: 512 * 1024 * 1024,
  fileBytes: 4 * 1024 * 1024,
  ms: 20_000,
  patternMs: 2000,
}

export interface SearchBudget {
  readonly limits: SearchLimits
  spend(cost: { readonly entries?: number; readonly bytes?: number }): void
  /** The limit that was reached, as the end of a sentence. */
  over(): string | undefined
}

export function createSearchBudget(limits: SearchLimits): SearchBudget {
  const startedAt = performance.now()
  let entries = 0
  let bytes = 0
  return {
    limits,
    spend(cost) {
      entries += cost.entries ?? 0
      bytes += cost.bytes ?? 0
    },
    over() {
      if (entries >= limits.entries) return `after ${limits.entries} names`
      if (bytes >= limits.bytes) return `after ${limits.bytes} bytes`
      if (performance.now() - startedAt >= limits.ms) return `after ${limits.ms / 1000} s`
      return undefined
    },
  }
}
