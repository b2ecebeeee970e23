import { asToolCallId, type JsonObject, type ToolCallId } from '@polylogue/engine'
import { callOfAskId } from './approval-question.ts'
import type { OpenLoops } from './open-loops.ts'

/** A call that waits for the user. */
export type OpenQuestion =
  | { readonly type: 'approval'; readonly toolCallId: ToolCallId }
  | { readonly type: 'question'; readonly toolCallId: ToolCallId; readonly input: JsonObject }

/** Finds a question by its id, by the id of its call, or by the id of the call whose sub-agent asks. */
export function findQuestion(loops: OpenLoops, id: string): OpenQuestion | undefined {
  const call = (loops.call(id) ?? loops.call(callOfAskId(id) ?? ''))?.call
  if (call?.phase !== 'waiting') return undefined
  if (call.ref !== undefined) return findQuestion(loops, call.ref.child_tool_call_id)
  const toolCallId = asToolCallId(call.id)
  if (call.isAsking) return { type: 'approval', toolCallId }
  return call.route === 'question' ? { type: 'question', toolCallId, input: call.input } : undefined
}
