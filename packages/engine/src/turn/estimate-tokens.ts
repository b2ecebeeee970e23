import { textOf } from '../content.ts'
import type { Model, ModelMessage } from '../ports/model.ts'
import type { ModelContext } from '../views/model-context.ts'

/** Without a tokenizer: what languages of words need; others need a little less per token than this says. */
const CHARACTERS_PER_TOKEN = 3.5
/** Role, separators and the like. */
const TOKENS_PER_MESSAGE = 4
const TOKENS_PER_IMAGE = 1_000

const known = new WeakMap<ModelMessage, number>()

/** What the provider counted is the truth; what came after it is estimated. */
export function estimateContext(context: ModelContext, system: string, model: Model): number {
  const messages = context.messages()
  const { counted } = context
  if (counted !== undefined) return counted.tokens + sum(messages.slice(counted.messages), model)
  return tokensOf(system, model) + sum(messages, model)
}

export const sum = (messages: readonly ModelMessage[], model: Model): number =>
  messages.reduce((total, message) => total + estimateMessage(message, model), 0)

/** Counted once per message, whatever its length. */
export function estimateMessage(message: ModelMessage, model: Model): number {
  const before = known.get(message)
  if (before !== undefined) return before
  const images = typeof message.content === 'string' ? 0 : message.content.filter(({ type }) => type === 'image').length
  const tokens = tokensOf(wordsOf(message), model) + images * TOKENS_PER_IMAGE + TOKENS_PER_MESSAGE
  known.set(message, tokens)
  return tokens
}

function wordsOf(message: ModelMessage): string {
  if (message.role !== 'assistant' || typeof message.content === 'string') return textOf(message.content)
  return message.content
    .map((part) => {
      if (part.type === 'tool-call') return `${part.name} ${JSON.stringify(part.input)}`
      return part.type === 'image' ? '' : part.text
    })
    .join('\n')
}

export function tokensOf(text: string, model: Model): number {
  return model.countTokens?.(text) ?? Math.ceil(text.length / CHARACTERS_PER_TOKEN)
}
