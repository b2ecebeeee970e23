import { textOf } from '../content.ts'
import type { ModelMessage } from '../ports/model.ts'
import { memoryWords } from './memory-words.ts'

/** Most words of a note must be the user's own before it counts as the user's; a model seldom repeats a wish exactly. */
const USERS_SHARE = 0.6

export interface Conversation {
  /** The messages of the session's own agent, summaries left out. */
  readonly messages: readonly ModelMessage[]
  /** Whoever calls may have read results of tools that are not among the messages: a sub-agent's, or summarised ones. */
  readonly hasUnseenResults: boolean
}

/**
 * Whether a text that is about to be kept came from the result of a tool rather than from the user's words. In doubt it
 * did: a page or a file could have written it, and the person who is asked can see that.
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
