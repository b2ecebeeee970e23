import type { Message, TurnAnswer, TurnEvent } from './wire.ts'

/** The events that a turn would have sent if its agent could stream. */
export function toTurnEvents(answer: TurnAnswer): readonly TurnEvent[] {
  const { messages, ...stop } = answer
  return [{ event: 'turn_start' }, ...messages.flatMap(toEvents), { event: 'turn_stop', ...stop }]
}

function toEvents(message: Message): readonly TurnEvent[] {
  if (message.role === 'tool') {
    return [{ event: 'tool_result', toolCallId: message.toolCallId, content: message.content }]
  }
  if (message.role !== 'assistant') return []
  if (typeof message.content === 'string') return [{ event: 'text', text: message.content }]
  return message.content.flatMap((block): TurnEvent[] => {
    switch (block.type) {
      case 'text':
        return [{ event: 'text', text: block.text }]
      case 'thinking':
        return [{ event: 'thinking', thinking: block.thinking }]
      case 'tool_use':
        return [{ event: 'tool_call', toolCallId: block.toolCallId, name: block.name, input: block.input }]
      case 'image':
        return []
    }
  })
}
