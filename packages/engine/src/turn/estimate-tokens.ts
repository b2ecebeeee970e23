import { textOf } from '../content.ts'
import type { Model, ModelMessage } from '../ports/model.ts'
import type { ModelContext } from '../views/model-context.ts'

/** Characters per token in languages with Latin letters. Real tokenizers count slightly fewer tokens. */
const CHARACTERS_PER_TOKEN = 3.5
/** For other alphabets, and for scripts in which one character is a word. */
const TOKENS_PER_LETTER = 0.45
const TOKENS_PER_SIGN = 0.9
const FIRST_SIGN = 0x2e80
/** Role, separators and similar overhead. */
const TOKENS_PER_MESSAGE = 4
const TOKENS_PER_IMAGE = 1_000

const guessed = new WeakMap<ModelMessage, number>()
const counted = new WeakMap<ModelMessage, number>()

/**
 * Estimates the tokens of a context. Uses the provider's count for the answered part and estimates only the rest.
 * Cheap, and good enough to detect that there is plenty of room.
 */
export function guessContext(context: ModelContext, system: string, model: Model): number {
  const messages = context.messages()
  const told = context.counted
  if (told !== undefined) return told.tokens + sizeOf(messages.slice(told.messages), model)
  return guessTokens(system) + sizeOf(messages, model)
}

/** Like the estimate, but uses the model's tokenizer if it has one. Every message is counted once. */
export async function countContext(context: ModelContext, system: string, model: Model): Promise<number> {
  const messages = context.messages()
  const told = context.counted
  if (told !== undefined) return told.tokens + (await countMessages(messages.slice(told.messages), model))
  return (await countTokens(system, model)) + (await countMessages(messages, model))
}

export async function countMessages(messages: readonly ModelMessage[], model: Model): Promise<number> {
  if (model.countTokens !== undefined) {
    for (const message of messages) {
      if (counted.has(message)) continue
      counted.set(message, (await model.countTokens(wordsOf(message))) + besidesWords(message, model))
    }
  }
  return sizeOf(messages, model)
}

export const countTokens = async (text: string, model: Model): Promise<number> =>
  (await model.countTokens?.(text)) ?? guessTokens(text)

const sizeOf = (messages: readonly ModelMessage[], model: Model): number =>
  messages.reduce((total, message) => total + sizeOfMessage(message, model), 0)

/** The counted size, or else an estimate. */
export function sizeOfMessage(message: ModelMessage, model: Model): number {
  const known = counted.get(message) ?? guessed.get(message)
  if (known !== undefined) return known
  const tokens = guessTokens(wordsOf(message)) + besidesWords(message, model)
  guessed.set(message, tokens)
  return tokens
}

function besidesWords({ content }: ModelMessage, { tokensPerImage = TOKENS_PER_IMAGE }: Model): number {
  const images = typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'image').length
  return images * tokensPerImage + TOKENS_PER_MESSAGE
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

/** Estimates from the length and the script of a text. */
export function guessTokens(text: string): number {
  let letters = 0
  let signs = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code >= FIRST_SIGN) signs += 1
    else if (code > 0x7f) letters += 1
  }
  const plain = text.length - letters - signs
  return Math.ceil(plain / CHARACTERS_PER_TOKEN + letters * TOKENS_PER_LETTER + signs * TOKENS_PER_SIGN)
}
