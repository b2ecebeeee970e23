import { crc32 } from 'node:zlib'
import {
  asSessionId,
  asUserId,
  type RunStatus,
  type Schedule,
  type ScheduleRun,
  type Slot,
  type SlotOutcome,
  type UserId,
} from '@polylogue/engine'
import { damaged } from './damage.ts'
import { type Row, integerIn, optionalIntegerIn, optionalTextIn, textIn } from './row.ts'

export type Columns = Readonly<Record<string, string | number | null>>

/** The row of a slot, with its run. */
export interface StoredSlot {
  readonly scheduleId: string
  readonly slotAt: number
  readonly decidedAt: number
  readonly outcome: SlotOutcome
  readonly run?: Pick<ScheduleRun, 'runId' | 'sessionId' | 'status' | 'error' | 'finishedAt'>
}

/** Throws for a damaged schedule: skipping it or running something else would be wrong. */
export function scheduleIn(row: Row): Schedule {
  const source = optionalTextIn(row, 'source_session')
  const optional = {
    expiresAt: optionalIntegerIn(row, 'expires_at'),
    nextSlotAt: optionalIntegerIn(row, 'next_slot_at'),
    model: optionalTextIn(row, 'model'),
    agent: optionalTextIn(row, 'agent'),
    sourceSession: source === undefined ? undefined : asSessionId(source),
  }
  const schedule: Schedule = {
    scheduleId: textIn(row, 'schedule_id'),
    userId: asUserId(textIn(row, 'user_id')),
    title: textIn(row, 'title'),
    prompt: textIn(row, 'prompt'),
    cron: textIn(row, 'cron'),
    timezone: textIn(row, 'timezone'),
    isEnabled: integerIn(row, 'is_enabled') !== 0,
    isUnattended: integerIn(row, 'is_unattended') !== 0,
    createdAt: integerIn(row, 'created_at'),
    decidedUntil: integerIn(row, 'decided_until'),
    zoneRules: textIn(row, 'zone_rules'),
    revision: integerIn(row, 'revision'),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  }
  if (checksumOf(scheduleColumns(schedule)) !== row['crc']) {
    throw damaged(`The schedule ${schedule.scheduleId} is damaged.`)
  }
  return schedule
}

export function toScheduleColumns(schedule: Schedule): Columns {
  const columns = scheduleColumns(schedule)
  return { ...columns, crc: checksumOf(columns) }
}

function scheduleColumns(schedule: Schedule): Columns {
  return {
    schedule_id: schedule.scheduleId,
    user_id: schedule.userId,
    title: schedule.title,
    prompt: schedule.prompt,
    cron: schedule.cron,
    timezone: schedule.timezone,
    is_enabled: schedule.isEnabled ? 1 : 0,
    expires_at: schedule.expiresAt ?? null,
    is_unattended: schedule.isUnattended ? 1 : 0,
    model: schedule.model ?? null,
    agent: schedule.agent ?? null,
    source_session: schedule.sourceSession ?? null,
    created_at: schedule.createdAt,
    decided_until: schedule.decidedUntil,
    next_slot_at: schedule.nextSlotAt ?? null,
    zone_rules: schedule.zoneRules,
    revision: schedule.revision,
  }
}

export function slotIn(row: Row): StoredSlot {
  const scheduleId = textIn(row, 'schedule_id')
  const slotAt = integerIn(row, 'slot_at')
  const refuse = (): never => {
    throw damaged(`The slot ${slotAt} of the schedule ${scheduleId} is damaged.`)
  }
  const runId = optionalTextIn(row, 'run_id')
  const error = optionalTextIn(row, 'error')
  const finishedAt = optionalIntegerIn(row, 'finished_at')
  const slot: StoredSlot = {
    scheduleId,
    slotAt,
    decidedAt: integerIn(row, 'decided_at'),
    outcome: OUTCOMES.find((outcome) => outcome === row['outcome']) ?? refuse(),
    ...(runId !== undefined && {
      run: {
        runId,
        sessionId: asSessionId(textIn(row, 'session_id')),
        status: STATUSES.find((status) => status === row['status']) ?? refuse(),
        ...(error !== undefined && { error }),
        ...(finishedAt !== undefined && { finishedAt }),
      },
    }),
  }
  return checksumOf(slotColumns(slot)) === row['crc'] ? slot : refuse()
}

export function toSlotColumns(slot: StoredSlot): Columns {
  const columns = slotColumns(slot)
  return { ...columns, crc: checksumOf(columns) }
}

function slotColumns({ scheduleId, slotAt, decidedAt, outcome, run }: StoredSlot): Columns {
  return {
    schedule_id: scheduleId,
    slot_at: slotAt,
    decided_at: decidedAt,
    outcome,
    run_id: run?.runId ?? null,
    session_id: run?.sessionId ?? null,
    status: run?.status ?? null,
    error: run?.error ?? null,
    finished_at: run?.finishedAt ?? null,
  }
}

export function toStoredSlot({ scheduleId, slotAt, decidedAt, outcome, run }: Slot): StoredSlot {
  return { scheduleId, slotAt, decidedAt, outcome, ...(run && { run: { ...run, status: 'due' } }) }
}

/** Empty when the slot was skipped. */
export function runsIn(
  { scheduleId, slotAt, decidedAt: triggeredAt, run }: StoredSlot,
  userId: UserId,
): readonly ScheduleRun[] {
  return run === undefined ? [] : [{ ...run, scheduleId, userId, slotAt, triggeredAt }]
}

const OUTCOMES: readonly SlotOutcome[] = ['fired', 'skipped-late', 'skipped-busy', 'skipped-rights']
const STATUSES: readonly RunStatus[] = ['due', 'running', 'completed', 'failed']

const checksumOf = (columns: Columns): number => crc32(JSON.stringify(Object.values(columns)))
