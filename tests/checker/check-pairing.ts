import { ROOT_LOOP, type Recorded, type ConversationMessage, type UserContent } from '@polylogue/engine'
import type { SessionHistory, Violation } from './history.ts'

/**
 * I8: right after an assistant message with calls come their results, each exactly once, and results come nowhere
 * else. That is what Anthropic wants (all results in the very next message) and satisfies OpenAI (before the next one).
 * Checked for the log at every end of a turn, and for what the model is really given.
 */
export function checkPairing({ stored, modelMessages }: SessionHistory): Violation[] {
  const given = modelMessages === undefined ? [] : findUnpaired(modelMessages, isOpenAtTheEnd(stored))
  return [...checkLog(stored), ...given].map((message) => ({ invariant: 'I8', message }))
}

function checkLog(stored: readonly Recorded[]): string[] {
  const inputs = new Map<string, UserContent>()
  const loops = new Map<string, ConversationMessage[]>()
  const messagesOf = (loopId: string = ROOT_LOOP): ConversationMessage[] => {
    const messages = loops.get(loopId) ?? []
    loops.set(loopId, messages)
    return messages
  }
  for (const { seq, event } of stored) {
    if (event.type === 'session.seeded') return []
    if (event.type === 'input.admitted') inputs.set(event.inputId, event.content)
    if (event.type === 'turn.started')
      messagesOf().push({ role: 'user', content: inputs.get(event.inputId ?? '') ?? '' })
    if (event.type === 'loop.started') messagesOf(event.loopId).push({ role: 'user', content: event.prompt })
    if (event.type === 'step.answered') messagesOf(event.loopId).push({ role: 'assistant', content: event.blocks })
    if (event.type === 'tool-call.settled')
      messagesOf(event.loopId).push({ role: 'tool', toolCallId: event.toolCallId, content: event.output })
    if (event.type === 'step.started' || event.type === 'loop.ended' || event.type === 'turn.ended') {
      const unpaired = findUnpaired(messagesOf('loopId' in event ? event.loopId : ROOT_LOOP), false)
      if (unpaired.length > 0) return unpaired.map((problem) => `${problem} (at ${event.type} ${seq})`)
    }
  }
  return []
}

/** While a turn is at work, the last assistant message may still wait for results. */
function isOpenAtTheEnd(stored: readonly Recorded[]): boolean {
  const last = stored.findLast(({ event }) => event.type === 'turn.started' || event.type === 'turn.ended')
  return last?.event.type === 'turn.started'
}

export function findUnpaired(messages: readonly ConversationMessage[], mayEndOpen: boolean): string[] {
  const problems: string[] = []
  const seen = new Set<string>()
  let due = new Set<string>()
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!due.delete(message.toolCallId))
        problems.push(`message ${index} is a result of ${message.toolCallId}, which is not due`)
      continue
    }
    for (const id of due) problems.push(`call ${id} has no result before message ${index}`)
    due = new Set()
    if (message.role !== 'assistant' || typeof message.content === 'string') continue
    for (const part of message.content) {
      if (part.type !== 'tool-call') continue
      if (seen.has(part.toolCallId)) problems.push(`call id ${part.toolCallId} is used twice`)
      seen.add(part.toolCallId)
      due.add(part.toolCallId)
    }
  }
  if (!mayEndOpen) for (const id of due) problems.push(`call ${id} has no result at the end`)
  return problems
}
