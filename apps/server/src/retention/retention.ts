import { EngineError, type Clock, type Engine, type EventStore, type LogEntry, type Timer } from '@polylogue/engine'

const DAY_MS = 24 * 60 * 60_000
const EVERY_MS = 60 * 60_000
/** Not at once: a start has better things to do. */
const FIRST_MS = 60_000
const PAGE = 50

export interface RetentionDeps {
  /** Sessions that did not change for so many days are deleted. Absent: none. */
  readonly days?: number
  readonly events: Pick<EventStore, 'findStale'>
  readonly engine: Pick<Engine, 'execute'>
  readonly clock: Clock
  log(entry: LogEntry): void
}

/** Deletes old sessions, every hour, with everything that belongs to them. Pinned sessions stay. */
export interface Retention {
  start(): void
  /** Resolves when nothing is being deleted any more. */
  stop(): Promise<void>
}

export function createRetention({ days, events, engine, clock, log }: RetentionDeps): Retention {
  let timer: Timer | undefined
  let isStopped = false
  let running: Promise<void> = Promise.resolve()

  const deleteStale = async (before: number): Promise<number> => {
    let deleted = 0
    const failed = new Set<string>()
    while (!isStopped) {
      const found = await events.findStale(before, PAGE + failed.size)
      const due = found.filter(({ sessionId }) => !failed.has(sessionId))
      if (due.length === 0) break
      for (const { userId, sessionId } of due) {
        if (isStopped) return deleted
        try {
          await engine.execute({ type: 'delete-session', userId, sessionId })
          deleted++
        } catch (error) {
          // Another node, or its user, was faster.
          if (!(error instanceof EngineError && error.code === 'session-not-found')) {
            log({ level: 'warn', message: 'an old session could not be deleted', sessionId, error })
          }
          failed.add(sessionId)
        }
      }
    }
    return deleted
  }

  const look = async (kept: number): Promise<void> => {
    try {
      const deleted = await deleteStale(clock.now() - kept * DAY_MS)
      if (deleted > 0) log({ level: 'info', message: 'old sessions were deleted', count: deleted, days: kept })
    } catch (error) {
      log({ level: 'warn', message: 'old sessions could not be looked for', error })
    }
    wait(EVERY_MS, kept)
  }

  const wait = (ms: number, kept: number): void => {
    if (isStopped) return
    timer = clock.setTimer(ms, () => {
      running = look(kept)
    })
  }

  return {
    start() {
      if (days !== undefined && timer === undefined) wait(FIRST_MS, days)
    },
    async stop() {
      isStopped = true
      timer?.cancel()
      await running
    },
  }
}
