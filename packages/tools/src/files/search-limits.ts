/** What one search may cost. Over a limit it stops, and says what it did not look at. */
export interface SearchLimits {
  /** Names of files and directories looked at. */
  readonly entries: number
  /** Of all files read. */
  readonly bytes: number
  /** A larger file is left out. */
  readonly fileBytes: number
  readonly ms: number
  /** For one file: a regular expression may take for ever. */
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
