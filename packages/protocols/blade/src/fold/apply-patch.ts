/**
 * What one patch makes of a turn. Pure, and the only place that says it: the server patches its own turns with it, so
 * that what clients fold is what it has.
 */
import type { AddedContent, ContentBlock, Json, Patch, ToolCallProjection, TurnProjection } from '../wire.ts'

/** `undefined`: the patch is about something that this turn does not have. */
export function applyPatch(turn: TurnProjection, { patch_type, data }: Patch): TurnProjection | undefined {
  switch (patch_type) {
    case 'add_content':
      return { ...turn, blocks: withContent(turn.blocks, data) }
    case 'add_tool_call': {
      const { id, tool_name, display_name, arguments: text, status } = data
      const given = { id, tool_name, display_name, arguments: text, status }
      const isKnown = turn.tool_calls.some((call) => call.id === id)
      const tool_calls = isKnown
        ? turn.tool_calls.map((call) => (call.id === id ? { ...call, ...given } : call))
        : [...turn.tool_calls, { ...given, result: null, duration_ms: null, pending_question_ref: null }]
      if (turn.blocks.some((block) => block.type === 'tool_use' && block.tool_call_id === id))
        return { ...turn, tool_calls }
      const use: ContentBlock = {
        type: 'tool_use',
        content: parseArguments(text),
        tool_call_id: id,
        tool_name,
        display_name,
      }
      return { ...turn, tool_calls, blocks: [...turn.blocks, use] }
    }
    case 'tool_result': {
      const { tool_call_id: id, result, status, duration_ms } = data
      const call = turn.tool_calls.find((candidate) => candidate.id === id)
      if (call === undefined) return undefined
      const settled = { ...call, result, status, duration_ms, pending_question_ref: null }
      return { ...turn, tool_calls: replaceCall(turn, settled), blocks: withResult(turn.blocks, settled) }
    }
    case 'set_status':
      return { ...turn, status: data.status }
    case 'set_tool_status': {
      const { tool_call_id: id, status, pending_question_ref: ref } = data
      const call = turn.tool_calls.find((candidate) => candidate.id === id)
      if (call === undefined) return undefined
      const changed = { ...call, status, ...(ref !== undefined && { pending_question_ref: ref }) }
      return { ...turn, tool_calls: replaceCall(turn, changed) }
    }
    default:
      // Sent by a newer server.
      return turn
  }
}

function replaceCall(turn: TurnProjection, changed: ToolCallProjection): readonly ToolCallProjection[] {
  return turn.tool_calls.map((call) => (call.id === changed.id ? changed : call))
}

function withContent(blocks: readonly ContentBlock[], data: AddedContent): readonly ContentBlock[] {
  const { type, content = null, text_delta, tool_call_id = null, tool_name = null, display_name = null } = data
  if (text_delta === undefined) return [...blocks, { type, content, tool_call_id, tool_name, display_name }]
  const last = blocks.at(-1)
  const isSame = last?.type === type && last.tool_call_id === tool_call_id
  const before = isSame && typeof last.content === 'string' ? last.content : ''
  const text = typeof content === 'string' ? content : before + text_delta
  if (isSame) return [...blocks.slice(0, -1), { ...last, content: text }]
  return [...blocks, { type, content: text, tool_call_id, tool_name, display_name }]
}

function withResult(blocks: readonly ContentBlock[], call: ToolCallProjection): readonly ContentBlock[] {
  const isOfCall = (block: ContentBlock): boolean => block.type === 'tool_result' && block.tool_call_id === call.id
  if (blocks.some(isOfCall)) {
    return blocks.map((block) => (isOfCall(block) ? { ...block, content: call.result } : block))
  }
  const { id: tool_call_id, tool_name, display_name, result: content } = call
  return [...blocks, { type: 'tool_result', content, tool_call_id, tool_name, display_name }]
}

function parseArguments(text: string): Json {
  try {
    const parsed = JSON.parse(text) as Json
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed
  } catch {
    return { raw: text }
  }
  return { raw: text }
}
