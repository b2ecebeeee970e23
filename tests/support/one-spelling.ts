import type { HistoryMessage } from './aap-wire.ts'
import { inBlocks } from './played-turn.ts'

/**
 * Normalizes a history: assistant content as blocks, without empty ones, and adjacent tool results sorted by id, because
 * results of parallel calls may be stored in another order.
 */
export function inOneSpelling(messages: readonly HistoryMessage[]): readonly HistoryMessage[] {
  const sorted: HistoryMessage[] = []
  let results: (HistoryMessage & { role: 'tool' })[] = []
  const flush = (): void => {
    sorted.push(...results.toSorted((one, other) => (one.toolCallId < other.toolCallId ? -1 : 1)))
    results = []
  }
  for (const message of inBlocks(messages)) {
    if (message.role === 'tool') results.push(message)
    else if (message.role !== 'assistant' || message.content.length > 0) {
      flush()
      sorted.push(message)
    }
  }
  flush()
  return sorted
}
