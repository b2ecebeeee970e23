/** A refused request about schedules. Doors map `code` to their wire in one exhaustive switch. */
export class ScheduleError extends Error {
  readonly code: ScheduleErrorCode
  /** The invalid part of the request, if there is one. */
  readonly field: string | undefined

  constructor(code: ScheduleErrorCode, message: string, field?: string) {
    super(message)
    this.name = 'ScheduleError'
    this.code = code
    this.field = field
  }
}

export type ScheduleErrorCode = 'schedule-not-found' | 'invalid-schedule' | 'too-many-schedules' | 'schedule-busy'
