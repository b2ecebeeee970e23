import type { WireBlock, WireMessage } from '../wire.ts'

export type PendingCall = Extract<WireBlock, { readonly type: 'tool_use' }>

/** The calls of the last assistant message that have no result yet, whoever is to answer them. */
export function findPendingCalls(messages: readonly WireMessage[]): readonly PendingCall[] {
  const answered = new Set(messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])))
  const last = messages.findLast(({ role }) => role === 'assistant')
  if (last === undefined || typeof last.content === 'string') return []
  return last.content.filter((block) => block.type === 'tool_use').filter(({ toolCallId }) => !answered.has(toolCallId))
}
