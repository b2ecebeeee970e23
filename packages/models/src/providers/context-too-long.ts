import type { ErrorFacts } from './error-facts.ts'

/** How providers say that a conversation is too long. There is no common error code; each wording was observed. */
const WORDINGS = [
  /prompt is too long/, // Anthropic
  /exceed context limit/, // Anthropic, input and output together
  /context_length_exceeded/, // OpenAI
  /exceeds? the (model'?s )?(available )?context (window|length|size)/, // OpenAI, llama.cpp
  /maximum (context|prompt) length/, // OpenAI, vLLM, OpenRouter, Mistral, xAI
  /exceeded max context length/, // Ollama
  /exceed_context_size_error/, // llama.cpp
  /input token count.{0,100}exceeds the maximum number of tokens/, // Google
  /greater than the context length/, // LM Studio
  /reduce the length of the messages/, // Groq, older OpenAI
  /input is too long/, // Bedrock behind a proxy
  /too many tokens/,
]

export function isContextTooLong({ status, text, codes }: ErrorFacts): boolean {
  return status === 413 || codes.has('context_length_exceeded') || WORDINGS.some((wording) => wording.test(text))
}
