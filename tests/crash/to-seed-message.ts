import { asToolCallId, type JsonObject, type ConversationMessage } from '@polylogue/engine'
import type { HistoryMessage } from '../support/aap-wire.ts'

/** Contains only what the checker compares: the speaker and the calls. */
export function toSeedMessage(message: HistoryMessage): ConversationMessage {
  switch (message.role) {
    case 'system':
      return { role: 'system', text: message.content }
    case 'tool':
      return { role: 'tool', toolCallId: asToolCallId(message.toolCallId), content: '' }
    case 'user':
      return { role: 'user', content: '' }
    case 'assistant':
      return {
        role: 'assistant',
        content:
          typeof message.content === 'string'
            ? ''
            : message.content.flatMap((block) =>
                block.type === 'tool_use'
                  ? [
                      {
                        type: 'tool-call' as const,
                        toolCallId: asToolCallId(block.toolCallId),
                        name: block.name,
                        input: block.input as JsonObject,
                      },
                    ]
                  : [],
              ),
      }
  }
}
