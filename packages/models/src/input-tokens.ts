import type { ModelMessage, ModelRequest } from '@polylogue/engine'

const CHARACTERS_PER_TOKEN = 4

/** An estimate from the request alone, for models without a tokenizer. */
export function estimateInputTokens(request: ModelRequest): number {
  const characters = request.messages.reduce((sum, message) => sum + lengthOf(message), request.system.length)
  return Math.ceil(characters / CHARACTERS_PER_TOKEN)
}

function lengthOf({ content }: ModelMessage): number {
  if (typeof content === 'string') return content.length
  let length = 0
  for (const part of content) if (part.type === 'text' || part.type === 'thinking') length += part.text.length
  return length
}
