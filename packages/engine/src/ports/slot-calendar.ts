/** When a cron expression falls due in a time zone. */
export interface SlotCalendar {
  /** Of the rules of time zones that it goes by, such as `2026a`: with other rules the same slot may be another instant. */
  readonly version: string
  /** Contract: cheap whatever the texts are. */
  problem(cron: string, timezone: string): SlotProblem | undefined
  /**
   * The first slot after an instant, in epoch milliseconds. `undefined`: there is none, or the texts have a problem. A
   * slot that a change of clocks leaves out falls due once, right after the change; one that it repeats, at its first
   * occurrence. An expression for every hour, or every so many, goes by the clock on the wall.
   */
  next(cron: string, timezone: string, after: number): number | undefined
}

export interface SlotProblem {
  readonly field: 'cron' | 'timezone'
  /** A sentence for whoever wrote it. */
  readonly message: string
}
