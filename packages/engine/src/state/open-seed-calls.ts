import type { ConversationMessage } from '../content.ts'
import type { OpenCall } from './session-state.ts'

/** Calls of a seed's last message that the client has not answered yet. */
export function openSeedCalls(messages: readonly ConversationMessage[]): readonly OpenCall[] {
  const last = messages.findLastIndex((message) => message.role === 'assistant' || message.role === 'user')
  const message = messages[last]
  if (message?.role !== 'assistant' || typeof message.content === 'string') return []
  const answered = new Set(messages.slice(last).flatMap((later) => (later.role === 'tool' ? [later.toolCallId] : [])))
  return message.content
    .filter((part) => part.type === 'tool-call')
    .filter((part) => !answered.has(part.toolCallId))
    .map(({ toolCallId, name, input }) => ({
      toolCallId,
      name,
      input,
      route: 'client' as const,
      phase: 'awaiting-client' as const,
      attempt: 0,
    }))
}
