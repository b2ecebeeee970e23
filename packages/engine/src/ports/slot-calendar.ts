/** Computes when a cron expression is due in a time zone. */
export interface SlotCalendar {
  /**
   * The version of the time-zone database, such as `2026a`. Another version may map the same slot to another instant.
   */
  readonly version: string
  /** Contract: cheap for any text. */
  problem(cron: string, timezone: string): SlotProblem | undefined
  /**
   * The first slot after an instant, in epoch milliseconds. `undefined`: there is none, or the texts are invalid. A
   * slot that a clock change skips is due once, right after the change. A slot that a clock change repeats is due at
   * its first occurrence. Hourly expressions, including steps of hours, follow local time.
   */
  next(cron: string, timezone: string, after: number): number | undefined
}

export interface SlotProblem {
  readonly field: 'cron' | 'timezone'
  /** A sentence for the author of the expression. */
  readonly message: string
}
