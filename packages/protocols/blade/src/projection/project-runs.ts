/** The start and end of runs, user messages and changes of mode. */
import { titleOf, toReadable, type EventOf } from '@polylogue/engine'
import { newTurn } from './new-turn.ts'
import { pauseTurns } from './project-calls.ts'
import type { Scene } from './scene.ts'
import { toEndStatus, toErrorCode, toFinishReason } from './session-status.ts'
import { toSessionChanges } from './session-changes.ts'
import { idsOfEntry, idsOfEvent, runIdOf } from './turn-ids.ts'
import { plainBlock, toUserBlocks } from './user-turn.ts'
import type { ChatEnd } from '../wire.ts'

/** The `notification_type` of a queued message that never ran. */
export const MESSAGE_DROPPED = 'message_dropped'

/** The time and the position of an event in the log. */
export interface Moment {
  readonly seq: number
  readonly at: number
}

export function admitInput(scene: Scene, event: EventOf<'input.admitted'>): void {
  const { inputId, turnId, content, settings = {} } = event
  scene.inputs.set(inputId, { turnId, content, settings })
  if (scene.title !== undefined) return
  scene.title = titleOf(content)
  scene.isTitleNew = scene.title !== undefined
}

export function changeInput(scene: Scene, { inputId, content }: EventOf<'input.changed'>): void {
  const input = scene.inputs.get(inputId)
  if (input !== undefined) scene.inputs.set(inputId, { ...input, content })
}

export function dropInput(scene: Scene, { inputId }: EventOf<'input.dropped'>): void {
  const input = scene.inputs.get(inputId)
  if (input === undefined) return
  scene.inputs.delete(inputId)
  scene.board.tell('system:notification', {
    notification_type: MESSAGE_DROPPED,
    title: 'A queued message was dropped',
    detail: 'The session was stopped before the message ran. Send it again if you still need it.',
    status: 'warning',
    run_id: runIdOf(input.turnId),
  })
}

export function beginRun(scene: Scene, { turnId, inputId }: EventOf<'turn.started'>): void {
  const input = inputId === undefined ? undefined : scene.inputs.get(inputId)
  scene.run = { turnId, settings: input?.settings ?? {}, isCancelled: false, said: '', hasToldFailure: false }
  scene.isWaiting = false
  scene.board.tell('chat:start', { run_id: runIdOf(turnId) })
}

/** A change of mode that comes with a message precedes it. */
export function projectInput(scene: Scene, { inputId }: EventOf<'turn.started'>, moment: Moment): void {
  const input = inputId === undefined ? undefined : scene.inputs.get(inputId)
  if (inputId === undefined || input === undefined) return
  scene.inputs.delete(inputId)
  const { isPlanning } = input.settings
  if (isPlanning !== undefined && isPlanning !== scene.isPlanning) {
    // The next event records the new mode. Until then only the difference matters.
    scene.facts = { ...scene.facts, preset: isPlanning ? 'plan' : 'workspace-write' }
    tellMode(scene, moment)
  }
  const { at, seq } = moment
  const context_window = scene.contextWindow(scene.facts.agent)
  scene.begun.push(seq)
  scene.board.add(
    newTurn(idsOfEntry(inputId), {
      role: 'user',
      at,
      context_window,
      ...toUserBlocks(input.content, scene.facts.sessionId),
    }),
  )
}

function tellMode(scene: Scene, { seq, at }: Moment): void {
  const [from, to] = scene.isPlanning ? ['executing', 'planning'] : ['planning', 'executing']
  const blocks = [
    plainBlock('mode_change', { from, to }),
    plainBlock(scene.isPlanning ? 'planning_enter' : 'planning_exit', null),
  ]
  const context_window = scene.contextWindow(scene.facts.agent)
  scene.board.add(newTurn(idsOfEvent(seq), { role: 'system', at, context_window, blocks }))
}

export function configure(scene: Scene, event: EventOf<'session.configured'>, moment: Moment): void {
  const { preset, clientTools, isShared, title } = event.settings
  const wasPlanning = scene.isPlanning
  scene.facts = {
    ...scene.facts,
    ...(preset && { preset }),
    ...(clientTools && { clientTools }),
    ...(isShared !== undefined && { isShared }),
  }
  if (title !== undefined) {
    scene.title = title === '' ? undefined : title
    scene.isTitleNew = false
  }
  if (scene.isPlanning !== wasPlanning) tellMode(scene, moment)
  const changes = toSessionChanges(event.settings)
  if (Object.keys(changes).length > 0) scene.board.tell('session:updated', changes)
}

export function pauseRun(scene: Scene, { at }: Moment): void {
  scene.isWaiting = true
  pauseTurns(scene, at)
  scene.board.tell('chat:end', { status: 'completed', result: null, finish_reason: 'completed' })
  tellTitle(scene)
}

export function resumeRun(scene: Scene, { turnId }: EventOf<'turn.resumed'>): void {
  scene.isWaiting = false
  scene.board.tell('chat:start', { run_id: runIdOf(turnId) })
}

/** A turn that was waiting has already ended its run. */
export function endRun(scene: Scene, event: EventOf<'turn.ended'>, moment: Moment): void {
  const { board, run, ending } = scene
  const { outcome, error } = event
  scene.run = undefined
  scene.isWaiting = false
  scene.ending = undefined
  if (ending === 'superseded') return
  const reason = error?.message ?? 'The run failed.'
  if (outcome === 'failed' && run?.hasToldFailure !== true) tellFailure(scene, reason, moment)
  if (ending === 'stopped') {
    board.tell('session:updated', { status: toEndStatus(outcome) })
    return
  }
  if (outcome === 'failed') {
    board.tell('system:error', { message: reason, code: toErrorCode(error?.code ?? ''), detail: error?.code ?? null })
  } else if (outcome === 'step-limit') {
    board.tell('system:notification', {
      notification_type: 'max_turns',
      title: 'The agent stopped at its limit',
      detail: error?.message ?? null,
      status: 'warning',
    })
  }
  const status = toEndStatus(outcome)
  const result = status === 'completed' ? resultOf(run, event) : null
  board.tell('chat:end', { status, result, finish_reason: toFinishReason(outcome, error) })
  tellTitle(scene)
}

/** When the run failed but no step did, the reason is a turn of its own. */
function tellFailure(scene: Scene, reason: string, { seq, at }: Moment): void {
  const blocks = [plainBlock('system_notification', reason)]
  const context_window = scene.contextWindow(scene.facts.agent)
  const failed = { role: 'system', status: 'failed', at, context_window, blocks, failure_reason: reason } as const
  scene.board.add(newTurn(idsOfEvent(seq), failed))
}

/** The result of a headless run. Scheduled runs have none: no client waits for them. */
function resultOf(run: Scene['run'], { output }: EventOf<'turn.ended'>): ChatEnd['result'] {
  if (run?.settings.isUnattended !== true || run.settings.keyId === undefined) return null
  const { outputSchema } = run.settings
  if (outputSchema === undefined) return { output: run.said }
  return { output: output ?? null, schema: outputSchema }
}

function tellTitle(scene: Scene): void {
  if (!scene.isTitleNew || scene.title === undefined) return
  scene.isTitleNew = false
  scene.board.tell('session:updated', { intent: toReadable(scene.title) })
}
