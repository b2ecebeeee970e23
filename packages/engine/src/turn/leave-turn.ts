import type { EngineParts } from '../engine-parts.ts'
import { EngineError } from '../errors.ts'
import type { Failure } from '../events/recorded-event.ts'
import type { Fence } from '../ports/event-store.ts'
import { FencedOff } from '../session/append-conflicts.ts'
import { endTurn, nextQueuedTurn } from '../session/end-turn.ts'
import type { OpenSession } from '../session/open-session.ts'

interface BrokenTurn {
  readonly parts: EngineParts
  readonly error: unknown
  /** What clients read. Absent: derived from the error. */
  readonly failure?: Failure
}

/** After a bug the turn ends as failed. Otherwise it would be listed as running forever. Returns whether it ended. */
export async function endBrokenTurn(session: OpenSession, fence: Fence, broken: BrokenTurn): Promise<boolean> {
  const { parts } = broken
  const error = broken.failure ?? failureOf(broken.error)
  try {
    await session.commit((state) => {
      if (state.turn === undefined) return { events: [] }
      const ended = endTurn(state.turn, {
        outcome: 'failed',
        error,
        openCalls: `Tool call cancelled: ${error.code === 'internal' ? 'internal error' : error.message}`,
      })
      return { events: [...ended, ...nextQueuedTurn(state, parts)] }
    }, fence)
    return true
  } catch (error) {
    parts.log({ level: 'error', message: 'a broken turn could not be ended', sessionId: session.id, error })
    return false
  }
}

/** An orderly stop is not the turn's fault, so the next process does not count it as a crash. */
export async function handOverTurn(
  session: OpenSession,
  fence: Fence,
  { log }: Pick<EngineParts, 'log'>,
): Promise<void> {
  try {
    await session.commit(({ turn }) => {
      const isLeft = turn?.status === 'running' && turn.isHandedOver !== true
      return { events: isLeft ? [{ type: 'turn.handed-over', turnId: turn.turnId }] : [] }
    }, fence)
  } catch (error) {
    if (error instanceof FencedOff || session.isGone) return
    log({ level: 'warn', message: 'a turn could not be handed over', sessionId: session.id, error })
  }
}

/** The error that ends a turn after its runner failed. */
function failureOf(error: unknown): Failure {
  if (error instanceof EngineError && error.code === 'quota-exceeded')
    return { code: error.code, message: error.message }
  return { code: 'internal', message: 'The server had an internal error during this turn.' }
}
