import { asToolCallId, type JsonObject, type ToolCallId } from '@polylogue/engine'
import { callOfAskId } from './approval-question.ts'
import type { OpenLoops } from './open-loops.ts'

/** Something that waits for its user. */
export type OpenQuestion =
  | { readonly type: 'approval'; readonly toolCallId: ToolCallId }
  | { readonly type: 'question'; readonly toolCallId: ToolCallId; readonly input: JsonObject }

/** By its own id, by that of the call it is about, or by that of the call whose sub-agent asks. */
export function findQuestion(loops: OpenLoops, id: string): OpenQuestion | undefined {
  const call = (loops.call(id) ?? loops.call(callOfAskId(id) ?? ''))?.call
  if (call?.phase !== 'waiting') return undefined
  if (call.ref !== undefined) return findQuestion(loops, call.ref.child_tool_call_id)
  const toolCallId = asToolCallId(call.id)
  if (call.isAsking) return { type: 'approval', toolCallId }
  return call.route === 'question' ? { type: 'question', toolCallId, input: call.input } : undefined
}
