import { EngineError, unreachable } from '../errors.ts'
import type {
  AdmittedTurn,
  AnswerCalls,
  ChangeInput,
  Command,
  CommandResults,
  CompactSession,
  ConfigureSession,
  StartTurn,
} from '../session/command.ts'
import type { PermissionRule } from '../ports/rule-store.ts'
import { ReceiptTaken } from '../session/append-conflicts.ts'
import { decideAnswers } from '../session/decide-answers.ts'
import { acceptChanges } from '../session/decide-changes.ts'
import { decideChangeInput, decideStartTurn } from '../session/decide-turn.ts'
import type { DecideContext, TurnDecision } from '../session/decision.ts'
import { findSessionAgent } from '../session/session-agent.ts'
import type { SessionState } from '../state/session-state.ts'
import { ASKED_FOR, planCompaction } from '../turn/plan-compaction.ts'
import { cancelCall, cancelTurn } from './cancel.ts'
import { createSession } from './create-session.ts'
import { contextFor, problemOfOutput, receiptOf, seal } from './decide-context.ts'
import { deleteSession } from './delete-session.ts'
import type { ExecuteDeps } from './execute-deps.ts'
import { findKeyUse } from './find-key-use.ts'
import { forkSession } from './fork-session.ts'
import { keepRules, keptRules } from './keep-rules.ts'
import { recordAdmission, type Admission } from './record-admission.ts'

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
    case 'change-input':
      return changeInput(command, deps)
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

async function answerCalls(command: AnswerCalls, deps: ExecuteDeps): Promise<AdmittedTurn> {
  const ids = command.answers.map((answer) => answer.toolCallId)
  const known = await deps.store.takenNames(command.sessionId, ids)
  let kept: readonly PermissionRule[] = []
  const admitted = await admit(command, deps, (state, context) => {
    kept = keptRules(state, command.answers)
    return decideAnswers(state, command, { ...context, known })
  })
  await keepRules(command.userId, kept, deps)
  return admitted
}

async function configureSession(command: ConfigureSession, deps: ExecuteDeps): Promise<Record<string, never>> {
  const session = await deps.sessions.owned(command.userId, command.sessionId)
  await session.commit((state) => {
    const changes = acceptChanges(state, contextFor(state.agent, deps), command.changes)
    return { events: changes.event ? [changes.event] : [], secrets: seal(session.id, changes.secrets, deps) }
  })
  return {}
}

async function changeInput(command: ChangeInput, deps: ExecuteDeps): Promise<{ changed: boolean }> {
  const session = await deps.sessions.owned(command.userId, command.sessionId)
  const recorded = await session.commit((state) => ({ events: decideChangeInput(state, command) }))
  return { changed: recorded.length > 0 }
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
