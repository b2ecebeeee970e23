import type { ConversationMessage, ToolCallPart } from '../content.ts'
import { EngineError } from '../errors.ts'
import type { ClientTool } from '../events/session-settings.ts'

/**
 * A seed may leave calls open only if they name declared client tools: otherwise a client could have a server tool run
 * with invented input by granting it. Returns every call id of the seed.
 */
export function checkSeed(
  messages: readonly ConversationMessage[],
  clientTools: readonly ClientTool[],
): readonly string[] {
  const calls = new Map<string, ToolCallPart>()
  const answered = new Set<string>()
  messages.forEach((message, index) => {
    const field = `seed[${index}]`
    if (message.role === 'assistant' && typeof message.content !== 'string') {
      for (const part of message.content) {
        if (part.type !== 'tool-call') continue
        if (calls.has(part.toolCallId))
          throw new EngineError('invalid-seed', `tool call ${part.toolCallId} appears twice`, field)
        calls.set(part.toolCallId, part)
      }
    }
    if (message.role === 'tool') {
      if (!calls.has(message.toolCallId)) {
        throw new EngineError('invalid-seed', `no tool call ${message.toolCallId} comes before its result`, field)
      }
      if (answered.has(message.toolCallId)) {
        throw new EngineError('invalid-seed', `tool call ${message.toolCallId} has two results`, field)
      }
      answered.add(message.toolCallId)
    }
  })
  for (const call of calls.values()) {
    if (answered.has(call.toolCallId) || clientTools.some((tool) => tool.name === call.name)) continue
    throw new EngineError(
      'invalid-seed',
      `tool call ${call.toolCallId} has no result and ${call.name} is no client tool`,
      'seed',
    )
  }
  return [...calls.keys()]
}
