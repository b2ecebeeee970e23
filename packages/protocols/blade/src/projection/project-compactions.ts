import { ROOT_LOOP, cutAtCharacter, type EventOf } from '@polylogue/engine'

import { newTurn } from './new-turn.ts'
import type { Moment } from './project-runs.ts'
import type { Scene } from './scene.ts'
import { idsOfEntry } from './turn-ids.ts'

const LONGEST_PREVIEW = 200

const TRIGGERS = { auto: 'auto', manual: 'manual', forced: 'forced_retry' } as const

export function startCompaction(scene: Scene, event: EventOf<'compaction.started'>, { at }: Moment): void {
  const { compactionId, loopId = ROOT_LOOP, model, tokensBefore, trigger } = event
  const loop = scene.loops.get(loopId)
  if (trigger === 'forced') {
    scene.board.tell('system:notification', {
      notification_type: 'context_too_long',
      title: 'The conversation was too long for the model',
      detail: 'The conversation is summarized, and the model is asked again.',
      status: 'warning',
    })
  }
  scene.board.open(
    newTurn(idsOfEntry(compactionId), {
      role: 'system',
      kind: 'compaction',
      at,
      status: 'streaming',
      loop_id: loopId,
      model,
      context_window: scene.contextWindow(loop.agent, model),
      parent_fork_tool_call_id: loop.parent?.toolCallId ?? null,
      compaction_id: compactionId,
      summary_preview: null,
      summary_full: null,
      archived_count: null,
      tokens_before: tokensBefore,
      tokens_after: null,
      saved_ratio: null,
      trigger: TRIGGERS[trigger],
    }),
  )
}

export function endCompaction(scene: Scene, event: EventOf<'compaction.ended'>, { at }: Moment): void {
  const { board } = scene
  const { turn_id: turnId } = idsOfEntry(event.compactionId)
  const { started_at, tokens_before, loop_id, trigger } = board.turn(turnId)
  const duration_ms = Math.max(0, at - Date.parse(started_at ?? ''))
  const { outcome, summary = '', tokensAfter = 0, throughSeq = 0, usage, error } = event
  const before = tokens_before ?? 0
  if (outcome === 'failed') {
    const reason = error?.message ?? 'There is no summary.'
    board.setStatus(turnId, 'failed')
    board.change(turnId, { duration_ms, failure_reason: reason })
  } else {
    board.setStatus(turnId, 'completed')
    board.change(turnId, {
      duration_ms,
      summary_preview: cutAtCharacter(summary, LONGEST_PREVIEW),
      summary_full: summary,
      archived_count: loop_id === ROOT_LOOP ? archive(scene, throughSeq) : 0,
      tokens_after: tokensAfter,
      saved_ratio: before === 0 ? 0 : Math.min(1, Math.max(0, 1 - tokensAfter / before)),
      usage: usage ? { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens } : null,
    })
  }
  board.end(turnId)
  if (outcome !== 'failed' || trigger === 'manual') return
  board.tell('system:notification', {
    notification_type: 'compaction_failed',
    title: 'The conversation could not be summarized',
    detail: error?.message ?? null,
    status: 'warning',
  })
}

/** The number of turns that the summary replaces, without those of earlier summaries. */
function archive(scene: Scene, throughSeq: number): number {
  const kept = scene.begun.filter((seq) => seq > throughSeq)
  const count = scene.begun.length - kept.length
  scene.begun = kept
  return count
}
