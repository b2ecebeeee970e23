import { EngineError, unreachable } from '../errors.ts'
import type { TurnSettings } from '../events/turn-events.ts'
import { failpoint } from '../failpoint.ts'
import type { SessionId } from '../ids.ts'
import { StorageFault, type NewReceipt, type SealedSecret } from '../ports/event-store.ts'
import { secretContext } from '../turn/build-model-request.ts'
import type { Coordinator } from '../turn/coordinator.ts'
import { ASKED_FOR, planCompaction } from '../turn/plan-compaction.ts'
import type { EngineParts } from '../engine-parts.ts'
import type {
  AdmittedTurn,
  AnswerCalls,
  CancelCall,
  CancelTurn,
  Command,
  CommandResults,
  CompactSession,
  ConfigureSession,
  CreateSession,
  CreatedSession,
  DeleteSession,
  IdempotencyKey,
  StartTurn,
} from '../session/command.ts'
import { decideAnswers } from '../session/decide-answers.ts'
import { decideCreate } from '../session/decide-create.ts'
import { acceptChanges } from '../session/decide-changes.ts'
import { decideCancelCall } from '../session/decide-cancel-call.ts'
import { decideCancel, decideStartTurn } from '../session/decide-turn.ts'
import type { DecideContext, TurnDecision } from '../session/decision.ts'
import { findKeyUse } from './find-key-use.ts'
import { findUnused, forgetFork, forkSession } from './fork-session.ts'
import { keySessionIds } from './key-session-ids.ts'
import { ReceiptTaken } from '../session/append-conflicts.ts'
import { OpenSession } from '../session/open-session.ts'
import { recordAdmission, toAdmitted, type Admission } from './record-admission.ts'
import type { OpenSessions } from '../session/open-sessions.ts'
import { findSessionAgent } from '../session/session-agent.ts'
import type { SessionState } from '../state/session-state.ts'

export interface ExecuteDeps extends EngineParts {
  readonly sessions: OpenSessions
  readonly coordinator: Coordinator
  /** Called with every session that is about to be changed. */
  meet(session: OpenSession): void
}

export async function executeCommand<C extends Command>(
  command: C,
  deps: ExecuteDeps,
): Promise<CommandResults[C['type']]> {
  return (await dispatch(command, deps)) as CommandResults[C['type']]
}

function dispatch(command: Command, deps: ExecuteDeps): Promise<CommandResults[keyof CommandResults]> {
  switch (command.type) {
    case 'create-session':
      return createSession(command, deps)
    case 'fork-session':
      return forkSession(command, deps)
    case 'configure-session':
      return configureSession(command, deps)
    case 'start-turn':
      return admit(command, deps, (state, context) => decideStartTurn(state, command, context))
    case 'answer-calls':
      return answerCalls(command, deps)
    case 'cancel-turn':
      return cancelTurn(command, deps)
    case 'cancel-call':
      return cancelCall(command, deps)
    case 'compact-session':
      return compactSession(command, deps)
    case 'delete-session':
      return deleteSession(command, deps)
    default:
      return unreachable(command)
  }
}

async function createSession(command: CreateSession, deps: ExecuteDeps): Promise<CreatedSession> {
  const { userId, idempotency } = command
  if (idempotency === undefined || command.input === undefined) {
    return createNew(command, command.sessionId ?? deps.ids.sessionId(), deps)
  }
  const candidates = keySessionIds(deps.digest, { userId, key: idempotency.key }, deps.clock.now())
  const before = await findCreated(command, idempotency, candidates, deps)
  if (before !== undefined) return before
  const [sessionId = deps.ids.sessionId()] = candidates
  try {
    return await createNew(command, sessionId, deps)
  } catch (error) {
    // When two identical requests race, the loser finds the winner's session.
    const created = await findCreated(command, idempotency, [sessionId], deps)
    if (created === undefined) throw error
    return created
  }
}

/** The session that an earlier request with this key created. */
async function findCreated(
  { userId }: CreateSession,
  idempotency: IdempotencyKey,
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
  const { session, recorded } = await OpenSession.create(deps.store, deps.clock, sessionId, command.userId, {
    events: decision.events,
    ...(decision.names && { names: decision.names }),
    ...(command.blobs && { blobs: command.blobs }),
    secrets: seal(sessionId, decision.secrets, deps),
    ...(decision.turn && receiptOf(command, decision.turn, command.idempotency?.key)),
  })
  deps.sessions.add(session)
  if (decision.turn === undefined) return { sessionId }
  deps.coordinator.wake(session)
  return { sessionId, turn: toAdmitted(decision.turn, recorded) }
}

async function answerCalls(command: AnswerCalls, deps: ExecuteDeps): Promise<AdmittedTurn> {
  const ids = command.answers.map((answer) => answer.toolCallId)
  const known = await deps.store.takenNames(command.sessionId, ids)
  return admit(command, deps, (state, context) => decideAnswers(state, command, { ...context, known }))
}

async function configureSession(command: ConfigureSession, deps: ExecuteDeps): Promise<Record<string, never>> {
  const session = await deps.sessions.owned(command.userId, command.sessionId)
  await session.commit((state) => {
    const changes = acceptChanges(state, contextFor(state.agent, deps), command.changes)
    return { events: changes.event ? [changes.event] : [], secrets: seal(session.id, changes.secrets, deps) }
  })
  return {}
}

/** A waiting call is settled here. A running call is stopped by its runner. */
async function cancelCall(command: CancelCall, deps: ExecuteDeps): Promise<{ cancelled: boolean }> {
  const { toolCallId, reason } = command
  const session = await deps.sessions.owned(command.userId, command.sessionId)
  deps.meet(session)
  const recorded = await session.commit(({ turn }) => ({ events: decideCancelCall(turn, toolCallId, reason) }))
  if (session.state.turn?.status === 'running') deps.coordinator.wake(session)
  return { cancelled: recorded.length > 0 }
}

/** Records the result of the command and starts or wakes a runner. A repeated idempotency key records nothing. */
async function admit(
  command: StartTurn | AnswerCalls,
  deps: ExecuteDeps,
  decide: (state: SessionState, context: DecideContext) => TurnDecision,
): Promise<AdmittedTurn> {
  const session = await deps.sessions.owned(command.userId, command.sessionId)
  deps.meet(session)
  const { before, key } = await findKeyUse(command, deps.store)
  if (before !== undefined) return before
  const outputProblem = command.type === 'start-turn' ? await problemOfOutput(command.settings, deps) : undefined
  const build = (state: SessionState): Admission => {
    const decision = decide(state, contextFor(state.agent, deps, outputProblem))
    const batch = {
      events: decision.events,
      ...(command.blobs && { blobs: command.blobs }),
      secrets: seal(session.id, decision.secrets, deps),
      ...receiptOf(command, decision, key),
    }
    const input = command.type === 'start-turn' ? command.content : undefined
    return { decision, batch, ...(input !== undefined && { input }) }
  }
  try {
    return await recordAdmission(session, build, deps)
  } catch (error) {
    // When two identical requests race, the loser sees the winner's state change: busy, or answered.
    const isPerhapsRepeated = error instanceof ReceiptTaken || error instanceof EngineError
    const stored = isPerhapsRepeated ? await findKeyUse(command, deps.store) : undefined
    if (stored?.before !== undefined) return stored.before
    throw error
  }
}

function receiptOf(
  { idempotency, userId }: Pick<StartTurn, 'idempotency' | 'userId'>,
  { turnId, firstEvent }: TurnDecision,
  key: string | undefined,
): { receipt?: NewReceipt } {
  if (idempotency === undefined || key === undefined) return {}
  return { receipt: { key, fingerprint: idempotency.fingerprint, userId, turnId, firstEvent } }
}

async function cancelTurn(command: CancelTurn, deps: ExecuteDeps): Promise<{ cancelled: boolean }> {
  const session = await deps.sessions.owned(command.userId, command.sessionId)
  deps.meet(session)
  const recorded = await session
    .commit((state) => ({ events: decideCancel(state, command, deps).events }))
    .catch((error: unknown) => stopUnrecorded(session, command, deps, error))
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
 * when the storage recovers. Dropping queued inputs is not possible then and is refused.
 */
function stopUnrecorded(session: OpenSession, command: CancelTurn, deps: ExecuteDeps, error: unknown): 'stopped' {
  const { turn } = session.state
  const isMeant = turn?.status === 'running' && (command.turnId === undefined || command.turnId === turn.turnId)
  if (!(error instanceof StorageFault) || !isMeant) throw error
  deps.coordinator.cancelUnrecorded(session, turn.turnId, command.reason)
  if (command.dropQueue && session.state.queue.length > 0) throw error
  return 'stopped'
}

async function compactSession(command: CompactSession, deps: ExecuteDeps): Promise<{ seq: number }> {
  const session = await deps.sessions.owned(command.userId, command.sessionId)
  deps.meet(session)
  const { state } = session
  refuseIfBusy(state)
  const agent = findSessionAgent(state, state.agent, deps) ?? contextFor(state.agent, deps).agent
  if (planCompaction(await session.context(), ASKED_FOR, agent.model) === undefined) {
    throw new EngineError('nothing-to-compact', 'there is nothing to compact yet')
  }
  const [recorded] = await session.commit((state) => {
    refuseIfBusy(state)
    return { events: [{ type: 'compaction.requested' }] }
  })
  if (recorded === undefined) throw new Error('the compaction request was not recorded')
  deps.coordinator.wake(session)
  return { seq: recorded.seq }
}

function refuseIfBusy({ turn, isCompactionWanted, compaction }: SessionState): void {
  if (turn !== undefined || isCompactionWanted || compaction !== undefined) {
    throw new EngineError('session-busy', 'a turn or a compaction is already running in this session')
  }
}

/** Delete the rows first: a runner that is still active finds its session gone and cannot record anything. */
async function deleteSession(command: DeleteSession, deps: ExecuteDeps): Promise<Record<string, never>> {
  const session = await deps.sessions.owned(command.userId, command.sessionId)
  await failpoint('delete.before')
  if (!(await deps.store.deleteSession(session.id)))
    throw new EngineError('session-not-found', 'there is no such session')
  await failpoint('delete.after')
  session.markGone()
  deps.sessions.remove(session.id)
  deps.coordinator.stopRunner(session.id, 'deleted')
  session.feed.close('deleted')
  await removeTraces(session, deps)
  return {}
}

/** The session is gone already, so a failure here is logged and not reported. */
async function removeTraces({ id, state }: OpenSession, deps: ExecuteDeps): Promise<void> {
  try {
    await deps.workspaces.remove(id, await findUnused(state, deps.store))
  } catch (error) {
    deps.log({ level: 'warn', message: 'a workspace could not be removed', sessionId: id, error })
  }
  try {
    await forgetFork(state, deps)
  } catch (error) {
    deps.log({ level: 'warn', message: 'the parent of a deleted fork could not be updated', sessionId: id, error })
  }
}

function contextFor(agentName: string, deps: ExecuteDeps, outputProblem?: string): DecideContext {
  const agent = deps.agents.find(agentName)
  if (agent === undefined) throw new EngineError('agent-not-found', `there is no agent called ${agentName}`, 'agent')
  return {
    agent,
    ids: deps.ids,
    digest: deps.digest,
    recovery: deps.recovery,
    ...(deps.limits && { limits: deps.limits }),
    isKnownModel: (name) => deps.models?.find(name) !== undefined,
    ...(outputProblem !== undefined && { outputProblem }),
  }
}

async function problemOfOutput(settings: TurnSettings | undefined, deps: ExecuteDeps): Promise<string | undefined> {
  if (settings?.outputSchema === undefined) return undefined
  if (deps.outputs === undefined) return 'this server gives no answers of a given shape'
  return deps.outputs.problemOf(settings.outputSchema)
}

function seal(
  sessionId: SessionId,
  secrets: { readonly [name: string]: string } | undefined,
  deps: ExecuteDeps,
): readonly SealedSecret[] {
  return Object.entries(secrets ?? {}).map(([name, plain]) => ({
    name,
    sealed: deps.secretBox.seal(plain, secretContext(sessionId, name)),
  }))
}
