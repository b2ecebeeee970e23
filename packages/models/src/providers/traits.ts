import type { SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { Provider } from './find-provider.ts'

/** Provider differences that the AI SDK does not cover. */
export interface Traits {
  /** Which image links the provider fetches itself; `typed` needs the media type in the link. */
  readonly imageLinks: 'any' | 'typed' | 'none'
  /** Where images from a tool go: into its result, or after all results as a user message. */
  readonly toolImages: 'in-result' | 'as-user'
  /** Also fetches image links inside tool results. */
  readonly toolImageLinks: boolean
  /** How thinking is sent back. `plain` accepts the text as it is, within the same turn. */
  readonly thinkingBack: 'anthropic' | 'openai' | 'google' | 'plain' | 'none'
  /** The key under which the AI SDK keeps this provider's metadata. */
  readonly metadataKey: string
  /** Rejects thinking in a turn whose earlier steps have none. */
  readonly thinkingFromTheStart: boolean
  /** Marks the end of a part of the prompt to cache. Absent: the provider caches without marks, or not at all. */
  readonly cacheMark?: SharedV4ProviderOptions
  readonly strictTools: boolean | undefined
  /** Call ids are exactly nine letters and digits, and a user message may not follow a tool message. */
  readonly isMistral: boolean
}

const NONE: Traits = {
  imageLinks: 'none',
  toolImages: 'as-user',
  toolImageLinks: false,
  thinkingBack: 'none',
  metadataKey: '',
  thinkingFromTheStart: false,
  strictTools: undefined,
  isMistral: false,
}

/** Hosts that answer 400 to `reasoning_content` in a history. */
const REFUSES_THINKING = /^api\.(?:groq\.com|cerebras\.ai)$/

/** Bedrock rejects cache marks for other models. */
const CACHED_BY_BEDROCK = /anthropic\.claude|amazon\.nova/

export function traitsOf({ kind, baseUrl }: Pick<Provider, 'kind' | 'baseUrl'>, model = ''): Traits {
  switch (kind) {
    case 'anthropic':
      return {
        ...NONE,
        imageLinks: 'any',
        toolImages: 'in-result',
        toolImageLinks: true,
        thinkingBack: 'anthropic',
        metadataKey: 'anthropic',
        thinkingFromTheStart: true,
        cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
      }
    case 'bedrock':
      return {
        ...NONE,
        toolImages: 'in-result',
        thinkingBack: 'anthropic',
        metadataKey: 'amazonBedrock',
        thinkingFromTheStart: true,
        ...(CACHED_BY_BEDROCK.test(model) && { cacheMark: { amazonBedrock: { cachePoint: { type: 'default' } } } }),
      }
    case 'openai':
      return {
        ...NONE,
        imageLinks: 'any',
        toolImages: 'in-result',
        toolImageLinks: true,
        thinkingBack: 'openai',
        metadataKey: 'openai',
        // By default OpenAI makes every optional tool parameter required.
        strictTools: false,
      }
    case 'google':
      return { ...NONE, imageLinks: 'typed', toolImages: 'in-result', thinkingBack: 'google', metadataKey: 'google' }
    case 'vertex':
      return {
        ...NONE,
        imageLinks: 'typed',
        toolImages: 'in-result',
        thinkingBack: 'google',
        metadataKey: 'googleVertex',
      }
    case 'openai-compatible': {
      const { protocol, hostname } = new URL(baseUrl)
      const isMistral = hostname === 'api.mistral.ai'
      return {
        ...NONE,
        // A local server would fetch any address a user writes, from inside our network.
        imageLinks: protocol === 'https:' ? 'any' : 'none',
        thinkingBack: isMistral || REFUSES_THINKING.test(hostname) ? 'none' : 'plain',
        isMistral,
      }
    }
  }
}
