import type { SessionFold } from '../fold/session-fold.ts'
import type { BladeOutput, ContentBlock, Json, TurnProjection } from '../wire.ts'

/** What a tool requests from the page that shows the session. */
export interface BridgeEvent {
  readonly action: string
  readonly payload: Json
  readonly tool_call_id: string
}

/**
 * The new bridge actions in an event. `fold` is the session before the event. Without a baseline,
 * whole turns are the past: only patches are news.
 */
export function findBridges(
  fold: SessionFold,
  { event, payload }: BladeOutput,
  { hasBaseline }: { readonly hasBaseline: boolean },
): readonly BridgeEvent[] {
  if (event === 'turn:patch') {
    const { lastSequence } = fold
    if (lastSequence !== undefined && payload.sequence <= lastSequence) return []
    if (payload.patch_type !== 'add_content') return []
    const { type, content = null, tool_call_id = null } = payload.data
    return toBridges([{ type, content, tool_call_id }], fold.turn(payload.turn_id))
  }
  if ((event !== 'turn:start' && event !== 'turn:end') || !hasBaseline) return []
  const before = fold.turn(payload.turn_id)
  const isNew = payload.sequence > (fold.last?.sequence ?? -1)
  return before !== undefined || isNew ? toBridges(payload.blocks, before) : []
}

type Block = Pick<ContentBlock, 'type' | 'content' | 'tool_call_id'>

function toBridges(blocks: readonly Block[], before: TurnProjection | undefined): readonly BridgeEvent[] {
  return blocks.flatMap(({ type, content, tool_call_id }) => {
    if (type !== 'tool_bridge' || tool_call_id === null) return []
    if (typeof content !== 'object' || content === null || Array.isArray(content)) return []
    const { action, payload = null } = content as { readonly [name: string]: Json }
    const isKnown = before?.blocks.some((block) => block.type === type && block.tool_call_id === tool_call_id)
    return typeof action !== 'string' || isKnown === true ? [] : [{ action, payload, tool_call_id }]
  })
}
