// The only file that imports AI SDK packages. Each loads on first use: together they would exceed the start-up budget.
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Provider } from './find-provider.ts'
import { traitsOf } from './traits.ts'
import type { Fetch } from './watched-fetch.ts'

export interface Connection {
  readonly apiKey?: string
  readonly fetch: Fetch
}

/** Always pass address and key: without them the packages read the environment themselves. */
export type Connect = (connection: Connection) => LanguageModelV4

export async function loadLanguageModel(provider: Provider, model: string): Promise<Connect> {
  const { kind, baseUrl: baseURL, name } = provider
  switch (kind) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return ({ apiKey = '', fetch }) => createAnthropic({ baseURL, apiKey, fetch })(model)
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return ({ apiKey = '', fetch }) => createOpenAI({ baseURL, apiKey, fetch })(model)
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google')
      return ({ apiKey = '', fetch }) => createGoogle({ baseURL, apiKey, fetch })(model)
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const includeUsage = !traitsOf(provider).isMistral
      return ({ apiKey, fetch }) =>
        createOpenAICompatible({ name, baseURL, fetch, includeUsage, ...(apiKey !== undefined && { apiKey }) })(model)
    }
  }
}
