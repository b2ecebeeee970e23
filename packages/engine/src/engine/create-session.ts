import type { SessionId, UserId } from '../ids.ts'
import type { CreateSession, CreatedSession, IdempotencyKey } from '../session/command.ts'
import { decideCreate } from '../session/decide-create.ts'
import { storeNewSession } from '../session/store-new-session.ts'
import { contextFor, problemOfOutput, receiptOf, seal } from './decide-context.ts'
import type { ExecuteDeps } from './execute-deps.ts'
import { findKeyUse } from './find-key-use.ts'
import { keySessionIds } from './key-session-ids.ts'
import { toAdmitted } from './record-admission.ts'

export async function createSession(command: CreateSession, deps: ExecuteDeps): Promise<CreatedSession> {
  const { userId, idempotency } = command
  if (idempotency === undefined || command.input === undefined) {
    return createNew(command, command.sessionId ?? deps.ids.sessionId(userId), deps)
  }
  const candidates = keySessionIds(deps.digest, { userId, key: idempotency.key }, deps.clock.now())
  const before = await findCreated({ userId, idempotency }, candidates, deps)
  if (before !== undefined) return before
  const [sessionId = deps.ids.sessionId(userId)] = candidates
  try {
    return await createNew(command, sessionId, deps)
  } catch (error) {
    // When two identical requests race, the loser finds the winner's session.
    const created = await findCreated({ userId, idempotency }, [sessionId], deps)
    if (created === undefined) throw error
    return created
  }
}

interface KeyUse {
  readonly userId: UserId
  readonly idempotency: IdempotencyKey
}

/** The session that an earlier request with this key created. */
async function findCreated(
  { userId, idempotency }: KeyUse,
  candidates: readonly SessionId[],
  { store }: ExecuteDeps,
): Promise<CreatedSession | undefined> {
  for (const sessionId of candidates) {
    const head = await store.readHead(sessionId)
    if (head?.userId !== userId) continue
    const command = { userId, sessionId, idempotency }
    const { before } = await findKeyUse(command, store)
    if (before !== undefined) return { sessionId, turn: before }
  }
  return undefined
}

async function createNew(command: CreateSession, sessionId: SessionId, deps: ExecuteDeps): Promise<CreatedSession> {
  const outputProblem = await problemOfOutput(command.turnSettings, deps)
  const decision = decideCreate(sessionId, command, contextFor(command.agent, deps, outputProblem))
  const batch = {
    events: decision.events,
    ...(decision.names && { names: decision.names }),
    ...(command.blobs && { blobs: command.blobs }),
    secrets: seal(sessionId, decision.secrets, deps),
    ...(decision.turn && receiptOf(command, decision.turn, command.idempotency?.key)),
  }
  const { session, recorded } = await storeNewSession({ sessionId, userId: command.userId, batch }, deps)
  deps.sessions.add(session)
  if (decision.turn === undefined) return { sessionId }
  deps.coordinator.wake(session)
  return { sessionId, turn: toAdmitted(decision.turn, recorded) }
}
