import { GO_ON } from '../cost/budget-question.ts'
import { EngineError } from '../errors.ts'
import type { RecordedEvent } from '../events/recorded-event.ts'
import type { ToolCallSettled } from '../events/call-events.ts'
import { ROOT_LOOP, type LoopId, type ToolCallId } from '../ids.ts'
import type { AnswerCalls, CallAnswer } from './command.ts'
import { acceptChanges } from './decide-changes.ts'
import type { DecideContext, TurnDecision } from './decision.ts'
import { endLoop } from './end-turn.ts'
import { failedAttemptOf } from './failed-attempt.ts'
import {
  childOf,
  findLoop,
  findOpenCall,
  isWaitingForAnswer,
  loopsOf,
  openCallsIn,
  type ActiveTurn,
  type ChildLoop,
  type OpenCall,
  type SessionState,
} from '../state/session-state.ts'

/** The result of a question that a client merely granted, because the client supports approvals but not questions. */
export const ASK_IN_TEXT = 'The user cannot answer this question here. Ask it in your text instead.'

export interface AnswerContext extends DecideContext {
  /** The answered ids that were ever used in this session. */
  readonly known: ReadonlySet<string>
}

/** Either all answers are accepted or none. */
export function decideAnswers(state: SessionState, command: AnswerCalls, context: AnswerContext): TurnDecision {
  const { turn } = state
  const answered = command.answers.map((answer, index) => {
    return { answer, index, call: findCall(turn, { answer, index }, context.known) }
  })
  refuseRepeats(command.answers)
  if (turn === undefined) throw new EngineError('unknown-tool-call', 'no tool call waits for an answer')
  if (turn.status === 'running' && command.whenRunning === 'refuse') {
    throw new EngineError('session-busy', 'a turn is already running in this session')
  }
  const changes = acceptChanges(state, context, command.changes)
  const events: RecordedEvent[] = turn.status === 'waiting' ? [turnResumed(turn)] : []
  if (changes.event) events.push(changes.event)
  const stopped = answered.filter(({ answer, call }) => isDenialOfSubAgent(answer, call))
  const below = loopsBelow(turn, new Set(stopped.map(({ call }) => call.toolCallId)))
  // In a history, the client's own results come before the results that follow from its approvals.
  const via = command.via !== undefined && { via: command.via }
  for (const one of answered.toSorted((left, right) => Number(isApproval(left)) - Number(isApproval(right)))) {
    const isEnded = below.some((loop) => openCallsIn(loop).some(({ toolCallId }) => toolCallId === one.call.toolCallId))
    if (!isEnded || !isApproval(one)) events.push(...resolve(turn, one, { before: events, via }))
  }
  for (const loop of loopsOf(turn)) {
    if (!below.some(({ loopId }) => loopId === loop.loopId)) events.push(...stepEndIfSettled(turn, events, loop.loopId))
  }
  return { events, secrets: changes.secrets, turnId: turn.turnId, firstEvent: 0, queued: false }
}

function findCall(
  turn: ActiveTurn | undefined,
  { answer, index }: { readonly answer: CallAnswer; readonly index: number },
  known: ReadonlySet<string>,
): OpenCall {
  const call = findOpenCall(turn, answer.toolCallId)
  if (call !== undefined && isWaitingForAnswer(call)) return call
  // While a sub-agent's call waits, clients also show its parent call as waiting. So an approval of the parent is
  // valid.
  if (call?.route === 'agent' && call.phase === 'running' && turn?.status === 'waiting' && answer.type === 'approval')
    return call
  const field = `answers[${index}].toolCallId`
  if (call !== undefined || known.has(answer.toolCallId)) {
    throw new EngineError('call-already-settled', `tool call ${answer.toolCallId} is already resolved`, field)
  }
  throw new EngineError('unknown-tool-call', 'no tool call of this session has this id', field)
}

function refuseRepeats(answers: readonly CallAnswer[]): void {
  const seen = new Set<ToolCallId>()
  for (const [index, { toolCallId }] of answers.entries()) {
    if (seen.has(toolCallId)) {
      throw new EngineError(
        'call-already-settled',
        `tool call ${toolCallId} is answered twice`,
        `answers[${index}].toolCallId`,
      )
    }
    seen.add(toolCallId)
  }
}

interface Answered {
  readonly answer: CallAnswer
  readonly index: number
  readonly call: OpenCall
}

const isApproval = ({ answer }: Pick<Answered, 'answer'>): boolean => answer.type === 'approval'

const isDenialOfSubAgent = (answer: CallAnswer, { phase }: OpenCall): boolean =>
  phase === 'running' && answer.type === 'approval' && !answer.granted

/** The loops of these calls, and the loops of their sub-agents' calls. */
function loopsBelow(turn: ActiveTurn, calls: ReadonlySet<ToolCallId>): readonly ChildLoop[] {
  const found: ChildLoop[] = []
  // Parents come before their children.
  for (const child of turn.children) {
    const isBelow = found.some(({ loopId }) => loopId === child.parentLoopId)
    if (isBelow || calls.has(child.parentToolCallId)) found.push(child)
  }
  return found
}

/** Names the open calls of sub-agents that clients were shown, so that a reader that starts here shows their results. */
export function turnResumed(turn: ActiveTurn): RecordedEvent {
  const waited = turn.children
    .flatMap(openCallsIn)
    .filter(({ isShown }) => isShown === true)
    .map(({ toolCallId }) => toolCallId)
  return { type: 'turn.resumed', turnId: turn.turnId, ...(waited.length > 0 && { waited }) }
}

interface ResolveContext {
  readonly before: readonly RecordedEvent[]
  readonly via: { readonly via: string } | false
}

function resolve(
  turn: ActiveTurn,
  { answer, call, index }: Answered,
  { before, via }: ResolveContext,
): RecordedEvent[] {
  const { toolCallId } = call
  const { turnId } = turn
  const isAboutBudget = turn.budget.asked?.toolCallId === toolCallId
  const given = answer.answer && { answer: answer.answer }
  if (answer.type === 'result') {
    return [
      {
        type: 'tool-call.settled',
        turnId,
        toolCallId,
        status: 'completed',
        output: answer.content,
        by: 'client',
        ...given,
        ...via,
      },
    ]
  }
  const { granted, reason, scope, offer } = answer
  if (call.phase === 'running') return granted ? [] : stopSubAgent(turn, call, { reason, before })
  if (granted && call.route === 'question') {
    const output = isAboutBudget ? GO_ON : ASK_IN_TEXT
    return [{ type: 'tool-call.settled', turnId, toolCallId, status: 'completed', output, by: 'engine' }]
  }
  if (granted && call.route === 'client') {
    throw new EngineError(
      'call-not-approvable',
      `${call.name} runs at the client: send its result`,
      `answers[${index}]`,
    )
  }
  const resolved: RecordedEvent = {
    type: 'approval.resolved',
    turnId,
    toolCallId,
    granted,
    ...(reason && { reason }),
    ...(scope && { scope }),
    ...(scope === 'session' && offer !== undefined && { offer }),
    ...given,
    ...via,
  }
  if (granted) return [resolved]
  const denied = failedAttemptOf(call, turnId) ?? denialOf(turn, toolCallId, reason)
  return call.phase === 'awaiting-approval' ? [resolved, denied] : [denied]
}

const denialOf = ({ turnId }: ActiveTurn, toolCallId: ToolCallId, reason: string | undefined): ToolCallSettled => ({
  type: 'tool-call.settled',
  turnId,
  toolCallId,
  status: 'denied',
  output: reason ? `Tool call denied: ${reason}` : 'Tool call denied',
  by: 'engine',
})

/** A denied sub-agent ends here, together with its descendants, because no runner is active while the turn waits. */
function stopSubAgent(
  turn: ActiveTurn,
  { toolCallId }: OpenCall,
  { reason, before }: { readonly reason: string | undefined; readonly before: readonly RecordedEvent[] },
): RecordedEvent[] {
  const { turnId } = turn
  const child = childOf(turn, toolCallId)
  const denied = denialOf(turn, toolCallId, reason)
  if (child === undefined) return [denied]
  const answered = new Set(before.flatMap((event) => (event.type === 'tool-call.settled' ? [event.toolCallId] : [])))
  const ended = endLoop(turn, child, {
    outcome: 'cancelled',
    openCalls: 'Tool call cancelled: its sub-agent was denied',
  })
  return [
    ...ended.filter((event) => event.type !== 'tool-call.settled' || !answered.has(event.toolCallId)),
    { type: 'loop.ended', turnId, loopId: child.loopId, outcome: 'cancelled' },
    denied,
  ]
}

/** When the last call is settled, the step ends in the same transaction. */
export function stepEndIfSettled(
  turn: ActiveTurn,
  events: readonly RecordedEvent[],
  loopId: LoopId = ROOT_LOOP,
): RecordedEvent[] {
  const { turnId } = turn
  const step = findLoop(turn, loopId)?.step
  if (step?.phase !== 'settling') return []
  const settled = new Set(events.flatMap((event) => (event.type === 'tool-call.settled' ? [event.toolCallId] : [])))
  const isDone = step.calls.every((call) => call.phase === 'settled' || settled.has(call.toolCallId))
  return isDone ? [{ type: 'step.ended', turnId, stepId: step.stepId, outcome: 'completed' }] : []
}
