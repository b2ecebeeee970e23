import type { SessionId, UserId } from '../ids.ts'

/**
 * What users want done at certain times, and what became of each of these times. An id of someone else's is an unknown
 * one. Whoever calls has held the texts to `SCHEDULE_LIMITS`; a store takes them as they are.
 */
export interface ScheduleStore {
  /** `known`: there is one with this id already, and it stays as it is. `full`: the user has too many. */
  addSchedule(schedule: Schedule): Promise<'added' | 'known' | 'full'>
  findSchedule(userId: UserId, scheduleId: string): Promise<Schedule | undefined>
  /** Newest first. */
  listSchedules(userId: UserId): Promise<readonly Schedule[]>
  /** Contract: only where the stored revision is one less; `false` otherwise, and when it is gone. */
  replaceSchedule(schedule: Schedule): Promise<boolean>
  /** With the outcomes of its slots. */
  removeSchedule(userId: UserId, scheduleId: string): Promise<boolean>

  /** Whose next slot is not after this instant, the earliest first. */
  dueSchedules(at: number, limit: number): Promise<readonly string[]>
  readSchedule(scheduleId: string): Promise<StandingSchedule | undefined>
  /** The earliest of all. */
  nextSlotAt(): Promise<number | undefined>
  /** Whose next slot, if any, was found by other rules of time zones. */
  schedulesByOtherRules(version: string, limit: number): Promise<readonly string[]>
  /**
   * The outcomes of some slots, and the schedule as it is after them: all of it or nothing. Contract: only where the
   * stored revision is one less; `false` otherwise. Never two outcomes for one slot. The newest `SCHEDULE_LIMITS.slots`
   * outcomes of a schedule are kept, and those whose run goes on.
   */
  settleSlots(schedule: Schedule, slots: readonly Slot[]): Promise<boolean>

  /** The runs that have not ended, of everybody. */
  openRuns(): Promise<readonly OpenRun[]>
  /** Contract: only from one of these states; `false` otherwise. */
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
  /** No slot after this instant. */
  readonly expiresAt?: number
  /** What would be asked for is allowed, and nobody is asked anything. */
  readonly isUnattended: boolean
  /** `provider/model`; absent: the agent's own. */
  readonly model?: string
  /** Absent: the default agent. */
  readonly agent?: string
  /** Where the agent was told to make it; absent when the user did. */
  readonly sourceSession?: SessionId
  readonly createdAt: number
  /** The slots up to this instant have their outcome, or are to have none. It never goes back. */
  readonly decidedUntil: number
  /** The first slot after `decidedUntil`; absent: there is none to come. */
  readonly nextSlotAt?: number
  /** The version of the calendar that found it. */
  readonly zoneRules: string
  /** One more with every change. */
  readonly revision: number
}

export interface StandingSchedule {
  readonly schedule: Schedule
  /** One of its runs has not ended. */
  readonly isBusy: boolean
}

/** `skipped-late`: nobody was there in time. `skipped-busy`: the run before went on. `skipped-rights`: its user is gone. */
export type SlotOutcome = 'fired' | 'skipped-late' | 'skipped-busy' | 'skipped-rights'

/** One instant at which a schedule was to run, and what became of it. */
export type Slot = {
  readonly scheduleId: string
  readonly slotAt: number
  readonly decidedAt: number
} & (
  | { readonly outcome: 'fired'; readonly run: NewRun }
  | { readonly outcome: Exclude<SlotOutcome, 'fired'>; readonly run?: undefined }
)

/** Its ids are chosen before anything begins, so that whoever goes on after a crash begins the same. */
export interface NewRun {
  /** `run_…` */
  readonly runId: string
  readonly sessionId: SessionId
}

/** `due`: it may or may not have begun. A run that waits for its user is `running`. */
export type RunStatus = 'due' | 'running' | 'completed' | 'failed'

export interface ScheduleRun extends NewRun {
  readonly scheduleId: string
  readonly userId: UserId
  readonly slotAt: number
  readonly status: RunStatus
  /** Why it failed, in a sentence. */
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
