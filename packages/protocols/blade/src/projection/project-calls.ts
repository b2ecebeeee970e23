/** Tool calls: their declaration, approval and result, and how a waiting call pauses the turns above it. */
import type { EventOf } from '@polylogue/engine'
import { relative } from 'node:path'
import type { AskUserAnswer, PendingQuestionRef, ToolCallStatus } from '../wire.ts'
import {
  ASK_TOOL,
  approvalQuestion,
  askIdOf,
  describeAnswer,
  spellOutQuestion,
  type SourceLoop,
} from './approval-question.ts'
import { fromGivenAnswer } from './given-answer.ts'
import { newTurn } from './new-turn.ts'
import {
  isStuck,
  waitingIn,
  type FoundCall,
  type FoundStep,
  type Loop,
  type OpenCall,
  type OpenStep,
} from './open-loops.ts'
import { toPlanContent, writePlan } from './plan-status.ts'
import type { Moment } from './project-runs.ts'
import type { Scene } from './scene.ts'
import { toShownResult, type ShownResult } from './tool-result.ts'
import { idsOfEvent } from './turn-ids.ts'
import { plainBlock } from './user-turn.ts'

export interface AnsweredCalls {
  readonly event: EventOf<'step.answered'>
  /** Calls whose approval is requested in the same append. */
  readonly gated: ReadonlySet<string>
}

export function addCalls(scene: Scene, { loop, step }: FoundStep, { event, gated }: AnsweredCalls): void {
  for (const block of event.blocks) {
    if (block.type !== 'tool-call') continue
    const { toolCallId: id, name, input } = block
    const route = event.routes[id] ?? 'server'
    const displayName = scene.displayName(loop.agent, name)
    const phase = route === 'client' || route === 'question' ? 'waiting' : 'ready'
    const kind = event.kinds?.[id]
    step.calls.push({ id, name, displayName, input, route, kind, phase, isAsking: false, isRefused: false })
    scene.board.patch(step.turnId, {
      patch_type: 'add_tool_call',
      data: {
        id,
        tool_name: name,
        display_name: displayName,
        arguments: route === 'question' ? spellOutQuestion(input, sourceOf(loop)) : JSON.stringify(input),
        status: phase === 'waiting' || gated.has(id) ? 'awaiting_answer' : 'pending',
      },
    })
  }
}

const sourceOf = ({ parent, loopId, description }: Loop): SourceLoop | undefined =>
  parent && { loop_name: loopId, description }

export function requestApproval(scene: Scene, event: EventOf<'approval.requested'>): void {
  const found = scene.loops.call(event.toolCallId)
  if (found === undefined) return
  const { loop, step, call } = found
  call.phase = 'waiting'
  call.isAsking = true
  setToolStatus(scene, found, { status: 'awaiting_answer' })
  const question = approvalQuestion({ ...call, source: sourceOf(loop) }, event)
  scene.board.patch(step.turnId, {
    patch_type: 'add_tool_call',
    data: {
      id: askIdOf(call.id),
      tool_name: ASK_TOOL,
      display_name: scene.displayName(loop.agent, ASK_TOOL),
      arguments: question,
      status: 'awaiting_answer',
    },
  })
}

/** The next event settles a refused call. */
export function resolveApproval(scene: Scene, event: EventOf<'approval.resolved'>, moment: Moment): void {
  const found = scene.loops.call(event.toolCallId)
  if (found === undefined) return
  const { step, call } = found
  tellAnswer(scene, fromGivenAnswer(event.answer), moment)
  const wasAsking = call.isAsking
  call.isAsking = false
  call.isRefused = !event.granted
  if (event.granted) {
    call.phase = 'ready'
    goOnAbove(scene, found.loop)
  }
  if (wasAsking)
    setResult(scene, step, { tool_call_id: askIdOf(call.id), status: 'done', result: describeAnswer(event) })
  if (!event.granted) return
  setToolStatus(scene, found, { status: 'pending' })
  scene.board.setStatus(step.turnId, 'streaming')
}

export function startCall(scene: Scene, { toolCallId }: EventOf<'tool-call.started'>, { at }: Moment): void {
  const call = scene.loops.call(toolCallId)?.call
  if (call !== undefined) call.startedAt ??= at
}

export function settleCall(scene: Scene, event: EventOf<'tool-call.settled'>, moment: Moment): void {
  const found = scene.loops.call(event.toolCallId)
  if (found === undefined) return
  const { loop, step, call } = found
  const { board } = scene
  if (call.route === 'question') tellAnswer(scene, fromGivenAnswer(event.answer), moment)
  const status = toStatus(event, call)
  const isStopped = event.status === 'cancelled' && scene.isStopping
  call.phase = 'settled'
  goOnAbove(scene, loop)
  if (call.isAsking) endQuestion(scene, found, isStopped)
  const { result, blocks } = toShownResult(event, scene.facts.sessionId)
  if (isStopped) setToolStatus(scene, found, { status: 'cancelled', ref: call.ref && null })
  else {
    const duration_ms = durationOf(event, call, moment)
    setResult(scene, step, { tool_call_id: call.id, status, result, duration_ms })
  }
  call.ref = undefined
  const ofCall = { tool_call_id: call.id, tool_name: call.name, display_name: call.displayName }
  for (const block of blocks) {
    board.patch(step.turnId, { patch_type: 'add_content', data: { ...block, ...ofCall } })
  }
  const plan = isPlanWritten(loop, call, event) ? writePlan(call.input, scene.isPlanning) : undefined
  if (plan !== undefined) {
    scene.plan = plan
    const data = { type: 'plan_status', content: toPlanContent(plan), ...ofCall } as const
    board.patch(step.turnId, { patch_type: 'add_content', data })
  }
  for (const { path } of event.changedFiles ?? []) {
    board.tell('workspace:files_changed', { file_path: toRelative(scene, path) })
  }
  pauseIfStuck(scene, loop, moment.at)
}

/** Calls of sub-agents have no recorded duration, only a start and an end. */
function durationOf(
  { durationMs, by }: EventOf<'tool-call.settled'>,
  { startedAt }: OpenCall,
  { at }: Moment,
): number | undefined {
  if (durationMs !== undefined || startedAt === undefined || by !== 'tool') return durationMs
  return Math.max(0, at - startedAt)
}

const isPlanWritten = (loop: Loop, call: OpenCall, { status }: EventOf<'tool-call.settled'>): boolean =>
  loop.parent === undefined && call.kind === 'plan' && status === 'completed'

function toStatus({ status }: EventOf<'tool-call.settled'>, call: OpenCall): ToolCallStatus {
  switch (status) {
    case 'completed':
      return 'done'
    case 'cancelled':
      return 'cancelled'
    case 'denied':
      // The user refused it. A call that nobody was asked about was denied by a rule.
      return call.isRefused || call.phase === 'waiting' ? 'cancelled' : 'error'
    case 'failed':
    case 'unknown':
      return 'error'
  }
}

function endQuestion(scene: Scene, { step, call }: FoundCall, isStopped: boolean): void {
  call.isAsking = false
  const id = askIdOf(call.id)
  if (!isStopped) {
    return setResult(scene, step, { tool_call_id: id, status: 'cancelled', result: 'The question was withdrawn.' })
  }
  scene.board.patch(step.turnId, { patch_type: 'set_tool_status', data: { tool_call_id: id, status: 'cancelled' } })
}

/** An answer from a Blade client is a turn of its own, before its effects. */
function tellAnswer(scene: Scene, answer: AskUserAnswer | undefined, { seq, at }: Moment): void {
  if (answer === undefined) return
  const { tool_call_id, selections, custom } = answer
  const blocks = [plainBlock('ask_user_answer', { tool_call_id, selections, custom })]
  const context_window = scene.contextWindow(scene.facts.agent)
  scene.begun.push(seq)
  scene.board.add(newTurn(idsOfEvent(seq), { role: 'user', at, context_window, blocks }))
}

/** Pauses a stuck sub-agent and the call that started it. */
export function pauseIfStuck(scene: Scene, loop: Loop, at: number): void {
  const { step } = loop
  if (loop.parent === undefined || step === undefined || !isStuck(step) || isEnding(scene)) return
  pauseTurn(scene, step, at)
  const parent = scene.loops.parentOf(loop)
  const ref = waitingIn(loop)
  if (parent === undefined || ref === undefined || isSameRef(parent.call.ref, ref)) return
  parent.call.phase = 'waiting'
  parent.call.ref = ref
  setToolStatus(scene, parent, { status: 'awaiting_answer', ref })
  pauseIfStuck(scene, parent.loop, at)
}

/** After an answer, continues the calls above, unless they wait for something else. */
function goOnAbove(scene: Scene, loop: Loop): void {
  const parent = scene.loops.parentOf(loop)
  if (parent?.call.ref === undefined || isEnding(scene) || (loop.step !== undefined && isStuck(loop.step))) return
  parent.call.phase = 'ready'
  parent.call.ref = undefined
  setToolStatus(scene, parent, { status: 'pending', ref: null })
  scene.board.setStatus(parent.step.turnId, 'streaming')
  goOnAbove(scene, parent.loop)
}

/** Innermost loop first. */
export function pauseTurns(scene: Scene, at: number): void {
  for (const { step } of scene.loops.all.toReversed()) if (step !== undefined) pauseTurn(scene, step, at)
}

function pauseTurn({ board }: Scene, step: OpenStep, at: number): void {
  board.setStatus(step.turnId, 'paused')
  board.change(step.turnId, { duration_ms: Math.max(0, at - step.startedAt) })
  board.endIfUntold(step.turnId)
}

const isEnding = (scene: Scene): boolean => scene.ending !== undefined || scene.isStopping

const isSameRef = (a: PendingQuestionRef | undefined, b: PendingQuestionRef): boolean =>
  a?.child_tool_call_id === b.child_tool_call_id

interface StatusOfCall {
  readonly status: ToolCallStatus
  readonly ref?: PendingQuestionRef | null | undefined
}

function setToolStatus({ board }: Scene, { step, call }: FoundCall, { status, ref }: StatusOfCall): void {
  const data = { tool_call_id: call.id, status, ...(ref !== undefined && { pending_question_ref: ref }) }
  board.patch(step.turnId, { patch_type: 'set_tool_status', data })
}

interface ResultOfCall {
  readonly tool_call_id: string
  readonly status: ToolCallStatus
  readonly result: ShownResult['result']
  readonly duration_ms?: number | undefined
}

function setResult({ board }: Scene, step: OpenStep, { duration_ms, ...data }: ResultOfCall): void {
  board.patch(step.turnId, { patch_type: 'tool_result', data: { ...data, duration_ms: duration_ms ?? null } })
}

function toRelative({ facts, describe }: Scene, path: string): string {
  const directory = describe.directoryOf(facts)
  if (directory === undefined) return path
  const inside = relative(directory, path)
  return inside === '' || inside.startsWith('..') ? path : inside
}
