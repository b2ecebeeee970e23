import { StorageFault } from '../ports/event-store.ts'
import type { CancelCall, CancelTurn } from '../session/command.ts'
import { decideCancelCall } from '../session/decide-cancel-call.ts'
import { decideCancel } from '../session/decide-turn.ts'
import type { OpenSession } from '../session/open-session.ts'
import type { ExecuteDeps } from './execute-deps.ts'

/** A storage on another machine may take long to answer, or to fail. A turn of this process is stopped before. */
const STOP_WITHIN_MS = 600
const RECORD_AGAIN_MS = 1_000
/** Ten minutes. */
const MOST_ATTEMPTS = 600

export async function cancelTurn(command: CancelTurn, deps: ExecuteDeps): Promise<{ cancelled: boolean }> {
  const recorded = cancelRecorded(command, deps)
  if (deps.isShared !== true) return recorded
  const late = Promise.withResolvers<'late'>()
  const timer = deps.clock.setTimer(STOP_WITHIN_MS, () => late.resolve('late'))
  try {
    const first = await Promise.race([recorded, late.promise])
    if (first !== 'late') return first
  } catch (error) {
    if (!(error instanceof StorageFault) || !stopKnown(command, deps)) throw error
    return { cancelled: true }
  } finally {
    timer.cancel()
  }
  if (!stopKnown(command, deps)) return recorded
  // The turn is stopped. The commit may still come, and its failure changes nothing.
  recorded.catch(() => undefined)
  return { cancelled: true }
}

/** Stops a turn of this process without asking the storage. Returns whether this does all that the command asks for. */
function stopKnown(command: CancelTurn, deps: ExecuteDeps): boolean {
  const session = deps.sessions.peek(command.sessionId)
  if (session?.state.userId !== command.userId || !deps.coordinator.isRunning(session.id)) return false
  return stopUnrecorded(session, command, deps)
}

async function cancelRecorded(
  command: CancelTurn,
  deps: ExecuteDeps,
  attempt: 'first' | 'again' = 'first',
): Promise<{ cancelled: boolean }> {
  const session = await deps.sessions.owned(command.userId, command.sessionId)
  deps.meet(session)
  const recorded = await session
    .commit((state) => ({ events: decideCancel(state, command, deps).events }))
    .catch((error: unknown) => {
      const isFault = error instanceof StorageFault && attempt === 'first'
      if (isFault && stopUnrecorded(session, command, deps)) return 'stopped' as const
      throw error
    })
  if (recorded === 'stopped') return { cancelled: true }
  let cancelled = false
  for (const { event } of recorded) {
    if (event.type === 'turn.cancel-requested') deps.coordinator.stopRunner(session.id, 'cancel', event.turnId)
    cancelled ||= event.type === 'turn.cancel-requested' || event.type === 'turn.ended'
    cancelled ||= event.type === 'input.dropped' && command.turnId !== undefined
  }
  if (session.state.turn?.status === 'running') deps.coordinator.wake(session)
  return { cancelled }
}

/**
 * The storage is down, but running work costs money and has effects. So the turn stops now, and its end is recorded
 * when the storage recovers. Dropping queued inputs is not possible then. Returns whether this does all that the
 * command asks for.
 */
function stopUnrecorded(session: OpenSession, command: CancelTurn, deps: ExecuteDeps): boolean {
  const { turn } = session.state
  const isMeant = turn?.status === 'running' && (command.turnId === undefined || command.turnId === turn.turnId)
  if (!isMeant) return false
  const { turnId } = turn
  if (deps.isShared !== true || deps.coordinator.isRunning(session.id)) {
    deps.coordinator.cancelUnrecorded(session, turnId, command.reason)
  } else {
    deps.tellCancelled(session.id, turnId, command.reason)
    recordLater({ ...command, turnId }, deps, MOST_ATTEMPTS)
  }
  return !command.dropQueue || session.state.queue.length === 0
}

/** The turn runs in another process, which may not have got the message. */
function recordLater(command: CancelTurn, deps: ExecuteDeps, attempts: number): void {
  if (attempts === 0) return
  deps.clock.setTimer(RECORD_AGAIN_MS, () => {
    cancelRecorded(command, deps, 'again').catch((error: unknown) => {
      if (error instanceof StorageFault) recordLater(command, deps, attempts - 1)
    })
  })
}

/** A waiting call is settled here. A running call is stopped by its runner. */
export async function cancelCall(command: CancelCall, deps: ExecuteDeps): Promise<{ cancelled: boolean }> {
  const { toolCallId, reason } = command
  const session = await deps.sessions.owned(command.userId, command.sessionId)
  deps.meet(session)
  const recorded = await session.commit(({ turn }) => ({ events: decideCancelCall(turn, toolCallId, reason) }))
  if (session.state.turn?.status === 'running') deps.coordinator.wake(session)
  return { cancelled: recorded.length > 0 }
}
