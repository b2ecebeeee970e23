import type { SessionId, UserId } from '../ids.ts'

/**
 * The schedules of users, and the outcome of each slot. Another user's id is unknown. Callers enforce
 * `SCHEDULE_LIMITS`; a store does not change texts.
 */
export interface ScheduleStore {
  /** `known`: a schedule with this id exists and stays unchanged. `full`: the user has too many schedules. */
  addSchedule(schedule: Schedule): Promise<'added' | 'known' | 'full'>
  findSchedule(userId: UserId, scheduleId: string): Promise<Schedule | undefined>
  /** Newest first. */
  listSchedules(userId: UserId): Promise<readonly Schedule[]>
  /** Contract: returns `false` and changes nothing unless the given revision is the stored revision plus one. */
  replaceSchedule(schedule: Schedule): Promise<boolean>
  /** Also removes the outcomes of its slots. */
  removeSchedule(userId: UserId, scheduleId: string): Promise<boolean>

  /** Schedules that are due at `at`, earliest first. */
  dueSchedules(at: number, limit: number): Promise<readonly string[]>
  readSchedule(scheduleId: string): Promise<StandingSchedule | undefined>
  /** The earliest next slot of all schedules. */
  nextSlotAt(): Promise<number | undefined>
  /** Schedules whose next slot was computed with another version of the time-zone rules. */
  schedulesByOtherRules(version: string, limit: number): Promise<readonly string[]>
  /**
   * Stores the outcomes of some slots and the changed schedule, all or nothing. Contract: returns `false` and changes
   * nothing unless the given revision is the stored revision plus one. A slot never gets two outcomes. A store keeps
   * the newest `SCHEDULE_LIMITS.slots` outcomes of a schedule, and those whose run has not ended.
   */
  settleSlots(schedule: Schedule, slots: readonly Slot[]): Promise<boolean>

  /** The runs of all users that have not ended. */
  openRuns(): Promise<readonly OpenRun[]>
  /** Contract: returns `false` and changes nothing unless the run is in one of the states `from`. */
  moveRun(runId: string, from: readonly RunStatus[], to: RunMove): Promise<boolean>
  /** Newest first. */
  listRuns(userId: UserId, scheduleId: string): Promise<readonly ScheduleRun[]>
}

export interface Schedule {
  /** `task_…` */
  readonly scheduleId: string
  readonly userId: UserId
  readonly title: string
  readonly prompt: string
  /** Five fields, read in `timezone`. */
  readonly cron: string
  /** A name of the IANA database. */
  readonly timezone: string
  readonly isEnabled: boolean
  /** There are no slots after this time. */
  readonly expiresAt?: number
  /** Runs do not ask anybody: calls that would need an approval are allowed. */
  readonly isUnattended: boolean
  /** `provider/model`; absent: the agent's own. */
  readonly model?: string
  /** Absent: the default agent. */
  readonly agent?: string
  /** The session in which an agent created it. Absent: the user created it. */
  readonly sourceSession?: SessionId
  readonly createdAt: number
  /** Slots up to this time are decided. It never moves back. */
  readonly decidedUntil: number
  /** The first slot after `decidedUntil`. Absent: there are no more slots. */
  readonly nextSlotAt?: number
  /** The version of the calendar that computed `nextSlotAt`. */
  readonly zoneRules: string
  /** Grows by one with every change. */
  readonly revision: number
}

export interface StandingSchedule {
  readonly schedule: Schedule
  /** One of its runs has not ended. */
  readonly isBusy: boolean
}

/**
 * `skipped-late`: no server was running in time. `skipped-busy`: the previous run had not ended. `skipped-rights`: the
 * user no longer exists.
 */
export type SlotOutcome = 'fired' | 'skipped-late' | 'skipped-busy' | 'skipped-rights'

/** A time at which a schedule was due, and its outcome. */
export type Slot = {
  readonly scheduleId: string
  readonly slotAt: number
  readonly decidedAt: number
} & (
  | { readonly outcome: 'fired'; readonly run: NewRun }
  | { readonly outcome: Exclude<SlotOutcome, 'fired'>; readonly run?: undefined }
)

/** The ids are chosen before the run starts, so that a process that continues after a crash starts the same run. */
export interface NewRun {
  /** `run_…` */
  readonly runId: string
  readonly sessionId: SessionId
}

/** `due`: the run may have started. A run that waits for its user is `running`. */
export type RunStatus = 'due' | 'running' | 'completed' | 'failed'

export interface ScheduleRun extends NewRun {
  readonly scheduleId: string
  readonly userId: UserId
  readonly slotAt: number
  readonly status: RunStatus
  /** Why it failed, as a sentence. */
  readonly error?: string
  readonly triggeredAt: number
  readonly finishedAt?: number
}

export interface OpenRun {
  readonly run: ScheduleRun
  readonly schedule: Schedule
}

export type RunMove =
  | { readonly status: 'running' }
  | { readonly status: 'completed'; readonly finishedAt: number }
  | { readonly status: 'failed'; readonly error: string; readonly finishedAt: number }

/** Lengths in UTF-16 units. */
export const SCHEDULE_LIMITS = {
  title: 200,
  prompt: 100_000,
  cron: 100,
  timezone: 100,
  model: 200,
  perUser: 100,
  slots: 1_000,
} as const
