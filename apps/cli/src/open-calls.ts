import type { SessionRecord, TurnEvent } from './wire.ts'

export interface ToolCall {
  readonly toolCallId: string
  readonly name: string
  readonly input: unknown
}

/** The calls of a turn that have no result yet. */
export interface OpenCalls {
  take(event: TurnEvent): void
  list(): readonly ToolCall[]
}

export function createOpenCalls(): OpenCalls {
  const open = new Map<string, ToolCall>()
  return {
    take(event) {
      if (event.event === 'tool_call') {
        open.set(event.toolCallId, { toolCallId: event.toolCallId, name: event.name, input: event.input })
      } else if (event.event === 'tool_result') open.delete(event.toolCallId)
    },
    list: () => [...open.values()],
  }
}

/** The calls that a resting session waits for. */
export function findWaitingCalls({ session, messages }: SessionRecord): readonly ToolCall[] {
  const waiting = new Set(session.waitingCalls)
  return messages
    .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    .filter((part) => part.type === 'tool-call')
    .filter(({ toolCallId }) => waiting.has(toolCallId))
}
