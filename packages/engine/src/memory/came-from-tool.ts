import { textOf } from '../content.ts'
import type { ModelMessage } from '../ports/model.ts'
import { memoryWords } from './memory-words.ts'

/**
 * A note counts as the user's own if at least this share of its words comes from the user. Models seldom repeat a wish
 * verbatim.
 */
const USERS_SHARE = 0.6

export interface Conversation {
  /** The messages of the session's own agent, without summaries. */
  readonly messages: readonly ModelMessage[]
  /**
   * The caller may have read tool results that are not among the messages, such as those of a sub-agent or summarized
   * ones.
   */
  readonly hasUnseenResults: boolean
}

/**
 * Whether a text that is about to be stored came from a tool result rather than from the user. In doubt it returns
 * true: a page or a file could have written the text, and the user who is asked can see that.
 */
export function cameFromTool(kept: string, { messages, hasUnseenResults }: Conversation): boolean {
  if (!hasUnseenResults && !messages.some(({ role }) => role === 'tool')) return false
  const said = new Set(
    messages.flatMap((message) => (message.role === 'user' ? memoryWords(textOf(message.content)) : [])),
  )
  const words = new Set(memoryWords(kept))
  const known = [...words].filter((word) => said.has(word)).length
  return words.size === 0 || known < words.size * USERS_SHARE
}

/** The tool whose result shares the most words with the text. `undefined`: no known result shares any. */
export function sourceToolOf(kept: string, messages: readonly ModelMessage[]): string | undefined {
  const words = new Set(memoryWords(kept))
  let best: { readonly name: string; readonly shared: number } | undefined
  for (const message of messages) {
    if (message.role !== 'tool') continue
    const shared = new Set(memoryWords(textOf(message.content)).filter((word) => words.has(word))).size
    if (shared > (best?.shared ?? 0)) best = { name: message.name, shared }
  }
  return best?.name
}
