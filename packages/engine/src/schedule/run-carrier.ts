/**
 * Carries runs to their end, from any state:
 *
 *   due       create a session with the chosen id and its first turn, in one transaction
 *   running   record this state, so that a session that the user deletes is not created again; wait for the turn
 *   completed, failed
 *
 * A process may die between any two states. The next process continues from the stored state.
 */
import { EngineError, type EngineErrorCode } from '../errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { OpenRun, ScheduleRun, ScheduleStore } from '../ports/schedule-store.ts'
import type { LogEntry } from '../engine-parts.ts'
import { LATE_MS } from './schedule-rules.ts'
import type { ScheduledTurns } from './scheduled-turns.ts'

export interface RunCarrier {
  /** Does nothing if the run is already being carried. */
  takeUp(open: OpenRun): void
  /** Resolves when no run is in progress. */
  idle(): Promise<void>
}

export interface RunCarrierDeps {
  readonly store: Pick<ScheduleStore, 'moveRun'>
  readonly clock: Clock
  readonly turns: ScheduledTurns
  /** Called when a run was interrupted and must be resumed later. */
  putDown(): void
  log(entry: LogEntry): void
}

/** Temporary errors: the next attempt may succeed. */
const PASSING: ReadonlySet<EngineErrorCode> = new Set<EngineErrorCode>([
  'too-many-turns',
  'shutting-down',
  'storage-full',
  'storage-busy',
  'storage-unavailable',
])

export function createRunCarrier({ store, clock, turns, putDown, log }: RunCarrierDeps): RunCarrier {
  const underWay = new Map<string, Promise<void>>()
  /** Why runs that wait for another attempt could not start. */
  const refusals = new Map<string, string>()
  /** Runs whose failure was already logged. While the storage is down, all of them are retried again and again. */
  const troubled = new Set<string>()

  const carry = async ({ run, schedule }: OpenRun): Promise<void> => {
    if (run.status === 'due') {
      if (!(await turns.hasBegun(run)) && !(await begin({ run, schedule }))) return
      await store.moveRun(run.runId, ['due'], { status: 'running' })
    }
    const end = await turns.end(run)
    if (end === undefined) return
    await store.moveRun(run.runId, ['due', 'running'], { ...end, finishedAt: clock.now() })
  }

  const begin = async (open: OpenRun): Promise<boolean> => {
    const { runId, triggeredAt } = open.run
    if (clock.now() - triggeredAt > LATE_MS) {
      await fail(open.run, refusals.get(runId) ?? 'The server stopped before it could begin.')
      return false
    }
    try {
      await turns.begin(open)
      refusals.delete(runId)
      return true
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      if (!PASSING.has(error.code)) {
        await fail(open.run, error.message)
        return false
      }
      refusals.set(runId, error.message)
      putDown()
      return false
    }
  }

  const fail = async ({ runId }: ScheduleRun, error: string): Promise<void> => {
    refusals.delete(runId)
    await store.moveRun(runId, ['due'], { status: 'failed', error, finishedAt: clock.now() })
  }

  return {
    takeUp(open) {
      const { runId, sessionId, scheduleId } = open.run
      if (underWay.has(runId)) return
      const work = carry(open)
        .then(() => void troubled.delete(runId))
        .catch((error: unknown) => {
          const message = 'a scheduled run cannot be continued'
          if (!troubled.has(runId)) log({ level: 'error', message, runId, scheduleId, sessionId, error })
          troubled.add(runId)
          putDown()
        })
        .finally(() => underWay.delete(runId))
      underWay.set(runId, work)
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay.values())
    },
  }
}
