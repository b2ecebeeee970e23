/** Model calls. Each is one turn. */
import { ROOT_LOOP, textOf, type EventOf } from '@polylogue/engine'
import { newTurn } from './new-turn.ts'
import type { Loop } from './open-loops.ts'
import { addCalls, pauseIfStuck, requestApproval } from './project-calls.ts'
import type { Moment } from './project-runs.ts'
import { toPlanContent } from './plan-status.ts'
import type { Scene } from './scene.ts'
import { settleText } from './step-text.ts'
import { idsOfEntry } from './turn-ids.ts'
import { plainBlock } from './user-turn.ts'
import type { ContentBlock } from '../wire.ts'

export function startStep(scene: Scene, event: EventOf<'step.started'>, { seq, at }: Moment): void {
  const { board, run, plan } = scene
  const { stepId, loopId, model, parentToolCallId = null } = event
  const loop = scene.loops.get(loopId)
  const ids = idsOfEntry(stepId)
  const memory_refs = (loopId === ROOT_LOOP ? run?.memories : undefined) ?? null
  board.open(
    newTurn(ids, {
      role: 'assistant',
      at,
      loop_id: loopId,
      status: 'streaming',
      model,
      context_window: scene.contextWindow(loop.agent, model),
      memory_refs,
      parent_fork_tool_call_id: parentToolCallId,
    }),
  )
  const step = { stepId, turnId: ids.turn_id, startedAt: at, isAnswered: false, prefix: 0, textLength: 0, calls: [] }
  loop.step = step
  if (loopId !== ROOT_LOOP) return
  scene.begun.push(seq)
  if (run !== undefined) run.hasToldFailure = false
  if (run !== undefined && memory_refs !== null) {
    run.memories = undefined
    board.tell('memory:inject:done', { turn_id: ids.turn_id, memory_refs })
  }
  if (scene.isPlanning || plan?.status !== 'proposed') return
  scene.plan = { ...plan, status: 'approved' }
  addBlock(scene, step.turnId, plainBlock('plan_status', toPlanContent(scene.plan)))
  loop.step.prefix = 1
}

const NOTES: { readonly [finish in EventOf<'step.answered'>['finish']]?: string } = {
  'token-limit': 'The answer was cut off at the model’s length limit.',
  refused: 'The model declined to answer.',
}

export interface AnsweredStep {
  readonly event: EventOf<'step.answered'>
  /** Approvals of its calls that were recorded with the answer. */
  readonly approvals: readonly EventOf<'approval.requested'>[]
}

export function answerStep(scene: Scene, { event, approvals }: AnsweredStep, { at }: Moment): void {
  const { board, run } = scene
  const found = scene.loops.withStep(event.stepId)
  if (found === undefined) return
  const { loop, step } = found
  board.skipTo(event.liveBatches)
  settleText(scene, step, event.blocks)
  step.isAnswered = true
  const { inputTokens: input_tokens, outputTokens: output_tokens } = event.usage
  board.change(step.turnId, { usage: { input_tokens, output_tokens } })
  const gated = new Set<string>(approvals.map(({ toolCallId }) => toolCallId))
  addCalls(scene, found, { event, gated })
  const note = NOTES[event.finish]
  if (note !== undefined) addBlock(scene, step.turnId, plainBlock('system_notification', note))
  if (loop.loopId === ROOT_LOOP && run !== undefined) {
    run.said = textOf(event.blocks)
    if (step.calls.length === 0 && scene.isPlanning) proposePlan(scene, step.turnId)
  }
  for (const approval of approvals) requestApproval(scene, approval)
  pauseIfStuck(scene, loop, at)
}

function proposePlan(scene: Scene, turnId: string): void {
  const { plan } = scene
  scene.plan = { status: 'proposed', ...(plan?.status === 'draft' && plan.steps && { steps: plan.steps }) }
  addBlock(scene, turnId, plainBlock('plan_status', toPlanContent(scene.plan)))
}

export function endStep(scene: Scene, event: EventOf<'step.ended'>, { at }: Moment): void {
  const { board } = scene
  const found = scene.loops.withStep(event.stepId)
  if (found === undefined) return
  const { loop, step } = found
  const { turnId } = step
  loop.step = undefined
  board.skipTo(event.liveBatches)
  if (!step.isAnswered) settleText(scene, step, event.partial ?? [])
  const isFailed = !step.isAnswered && event.outcome === 'failed'
  const isCompleted = step.isAnswered && !scene.isStopping
  if (isFailed) {
    const reason = event.error?.message ?? 'The model call failed.'
    addBlock(scene, turnId, plainBlock('system_notification', reason))
    board.change(turnId, { failure_reason: reason })
    if (loop.loopId === ROOT_LOOP && scene.run !== undefined) scene.run.hasToldFailure = true
  }
  board.setStatus(turnId, isFailed ? 'failed' : isCompleted ? 'completed' : 'interrupted')
  board.change(turnId, { duration_ms: Math.max(0, at - step.startedAt) })
  board.end(turnId)
}

export function startLoop(scene: Scene, event: EventOf<'loop.started'>): void {
  const { loopId, agent, description, parentToolCallId, parentLoopId } = event
  const loop: Loop = { loopId, agent, description, parent: { toolCallId: parentToolCallId, loopId: parentLoopId } }
  scene.loops.add(loop)
}

function addBlock({ board }: Scene, turnId: string, block: ContentBlock): void {
  board.patch(turnId, { patch_type: 'add_content', data: block })
}
