import { GO_ON } from '../cost/tell-budget.ts'
import { EngineError } from '../errors.ts'
import type { RecordedEvent } from '../events/recorded-event.ts'
import type { ToolCallSettled } from '../events/call-events.ts'
import { ROOT_LOOP, type LoopId, type ToolCallId } from '../ids.ts'
import type { AnswerCalls, CallAnswer } from './command.ts'
import { acceptChanges } from './decide-changes.ts'
import type { DecideContext, TurnDecision } from './decision.ts'
import {
  findLoop,
  findOpenCall,
  isWaitingForAnswer,
  loopsOf,
  type ActiveTurn,
  type OpenCall,
  type SessionState,
} from '../state/session-state.ts'

/** What a model is told when it asked and nobody could answer. */
export const USER_UNAVAILABLE = '(user unavailable)'

/** `known`: which of the answered ids were ever used in this session. All answers count, or none. */
export function decideAnswers(
  state: SessionState,
  command: AnswerCalls,
  context: DecideContext,
  known: ReadonlySet<string>,
): TurnDecision {
  const { turn } = state
  const answered = command.answers.map((answer, index) => ({ answer, call: findCall(turn, answer, index, known) }))
  refuseRepeats(command.answers)
  if (turn === undefined) throw new EngineError('unknown-tool-call', 'no tool call waits for an answer')
  if (turn.status === 'running' && command.whenRunning === 'refuse') {
    throw new EngineError('session-busy', 'a turn is already running in this session')
  }
  const changes = acceptChanges(state, context, command.changes)
  const events: RecordedEvent[] = turn.status === 'waiting' ? [{ type: 'turn.resumed', turnId: turn.turnId }] : []
  if (changes.event) events.push(changes.event)
  for (const [index, { answer, call }] of answered.entries()) events.push(...resolve(turn, answer, call, index))
  for (const loop of loopsOf(turn)) events.push(...stepEndIfSettled(turn, events, loop.loopId))
  return { events, secrets: changes.secrets, turnId: turn.turnId, firstEvent: 0, queued: false }
}

function findCall(
  turn: ActiveTurn | undefined,
  answer: CallAnswer,
  index: number,
  known: ReadonlySet<string>,
): OpenCall {
  const call = findOpenCall(turn, answer.toolCallId)
  if (call !== undefined && isWaitingForAnswer(call)) return call
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

function resolve(turn: ActiveTurn, answer: CallAnswer, call: OpenCall, index: number): RecordedEvent[] {
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
      },
    ]
  }
  const { granted, reason, scope } = answer
  if (granted && call.route === 'question') {
    // A client that knows only approvals answers a question so.
    const output = isAboutBudget ? GO_ON : USER_UNAVAILABLE
    return [{ type: 'tool-call.settled', turnId, toolCallId, status: 'completed', output, by: 'client' }]
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
    ...given,
  }
  if (granted) return [resolved]
  const denied: ToolCallSettled = {
    type: 'tool-call.settled',
    turnId,
    toolCallId,
    status: 'denied',
    output: reason ? `Tool call denied: ${reason}` : 'Tool call denied',
    by: 'engine',
  }
  return call.phase === 'awaiting-approval' ? [resolved, denied] : [denied]
}

/** The last settled call ends its step in the same transaction. */
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
