import { asSessionId, type Clock, type ScheduleRun, type ScheduledTurns, type SessionId } from '@polylogue/engine'

/** Turns without an engine: a session is made once or refused, as the log of events does it. */
export interface TurnLog {
  readonly turns: ScheduledTurns
  readonly complaints: readonly string[]
  sessionId(number: number): SessionId
  /** Ends the turns whose time has come. */
  endWhatIsOver(): void
  endAll(): void
  /** What does not fit: runs and the turns that were begun for them. */
  compare(runs: readonly ScheduleRun[]): readonly string[]
}

const MINUTE = 60_000
const NEVER_BEGAN = 'The server stopped before it could begin.'

export function createTurnLog({ random, clock }: { random(): number; readonly clock: Clock }): TurnLog {
  const complaints: string[] = []
  const endsAt = new Map<SessionId, number>()
  const open = new Map<string, SessionId>()
  let waiting: { readonly sessionId: SessionId; end(): void }[] = []
  let isOver = false

  /** What has ended stays so, also when the clock is set back. */
  const ended = new Set<SessionId>()
  const hasEnded = (sessionId: SessionId): boolean => {
    if (isOver || (endsAt.get(sessionId) ?? Infinity) <= clock.now()) ended.add(sessionId)
    return ended.has(sessionId)
  }
  const duration = (): number => {
    const kind = random()
    if (kind < 0.8) return 0
    return kind < 0.99 ? random() * 10 * MINUTE : random() * 3 * 24 * 60 * MINUTE
  }
  return {
    turns: {
      hasBegun: async ({ sessionId }) => endsAt.has(sessionId),
      async begin({ run: { sessionId, scheduleId } }) {
        if (endsAt.has(sessionId)) throw new Error('a new session met a conflict: exists')
        const other = open.get(scheduleId)
        if (other !== undefined && !hasEnded(other)) complaints.push(`${scheduleId} has two runs at once`)
        open.set(scheduleId, sessionId)
        endsAt.set(sessionId, clock.now() + duration())
      },
      end: ({ sessionId }) =>
        new Promise((resolve) => {
          const end = () => resolve({ status: 'completed' })
          if (hasEnded(sessionId)) end()
          else waiting.push({ sessionId, end })
        }),
    },
    complaints,
    sessionId: (number) => asSessionId(`session-${number}`),
    endWhatIsOver() {
      const over = waiting.filter(({ sessionId }) => hasEnded(sessionId))
      waiting = waiting.filter(({ sessionId }) => !hasEnded(sessionId))
      for (const { end } of over) end()
    },
    endAll() {
      isOver = true
      for (const { end } of waiting) end()
    },
    compare: (runs) =>
      runs.flatMap(({ runId, sessionId, status, error }) => {
        const hasBegun = endsAt.has(sessionId)
        if (status === 'completed') return hasBegun ? [] : [`${runId} completed and never began`]
        if (status === 'failed') return !hasBegun && error === NEVER_BEGAN ? [] : [`${runId} failed: ${error}`]
        return [`${runId} is still ${status}`]
      }),
  }
}
