/** What a user wants of schedules and cannot have. Doors map `code` to their wire in one exhaustive switch. */
export class ScheduleError extends Error {
  readonly code: ScheduleErrorCode
  /** The part of the request that is wrong, where there is one. */
  readonly field: string | undefined

  constructor(code: ScheduleErrorCode, message: string, field?: string) {
    super(message)
    this.name = 'ScheduleError'
    this.code = code
    this.field = field
  }
}

export type ScheduleErrorCode = 'schedule-not-found' | 'invalid-schedule' | 'too-many-schedules' | 'schedule-busy'
