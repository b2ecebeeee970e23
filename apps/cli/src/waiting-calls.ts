import type { SessionRecord } from './wire.ts'

export interface ToolCall {
  readonly toolCallId: string
  readonly name: string
  readonly input: unknown
}

/** The calls that a session waits for, those of earlier requests included. */
export function findWaitingCalls({ session, messages }: SessionRecord): readonly ToolCall[] {
  const waiting = new Set(session.waitingCalls)
  return messages
    .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    .filter((part) => part.type === 'tool-call')
    .filter(({ toolCallId }) => waiting.has(toolCallId))
}
