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
  /** What the user wrote in this session, see `ModelContext.ownWords`. */
  readonly ownWords: readonly string[]
  /**
   * The model may have read texts of others that are not tool results among the messages: results of a sub-agent or
   * summarized ones, attached files, imported messages, prompts and descriptions of MCP servers, memories of tools.
   */
  readonly hasUnseenTexts: boolean
}

/**
 * Whether a text that is about to be stored came from somebody else than the user. In doubt it returns true: a page or a
 * file could have written the text, and the user who is asked can see that.
 */
export function cameFromTool(kept: string, { messages, ownWords, hasUnseenTexts }: Conversation): boolean {
  if (!hasUnseenTexts && !messages.some(({ role }) => role === 'tool')) return false
  const said = new Set(ownWords.flatMap(memoryWords))
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
