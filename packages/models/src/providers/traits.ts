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
  /** Rejects thinking in a turn whose earlier steps have none. */
  readonly thinkingFromTheStart: boolean
  /** Caching needs marks in the prompt. */
  readonly cacheMarks: boolean
  readonly strictTools: boolean | undefined
  /** Call ids are exactly nine letters and digits, and a user message may not follow a tool message. */
  readonly isMistral: boolean
}

const NONE: Traits = {
  imageLinks: 'none',
  toolImages: 'as-user',
  toolImageLinks: false,
  thinkingBack: 'none',
  thinkingFromTheStart: false,
  cacheMarks: false,
  strictTools: undefined,
  isMistral: false,
}

export function traitsOf({ kind, baseUrl }: Provider): Traits {
  switch (kind) {
    case 'anthropic':
      return {
        ...NONE,
        imageLinks: 'any',
        toolImages: 'in-result',
        toolImageLinks: true,
        thinkingBack: 'anthropic',
        thinkingFromTheStart: true,
        cacheMarks: true,
      }
    case 'openai':
      return {
        ...NONE,
        imageLinks: 'any',
        toolImages: 'in-result',
        toolImageLinks: true,
        thinkingBack: 'openai',
        // By default OpenAI makes every optional tool parameter required.
        strictTools: false,
      }
    case 'google':
      return { ...NONE, imageLinks: 'typed', toolImages: 'in-result', thinkingBack: 'google' }
    case 'openai-compatible': {
      const { protocol, hostname } = new URL(baseUrl)
      const isMistral = hostname === 'api.mistral.ai'
      return {
        ...NONE,
        // A local server would fetch any address a user writes, from inside our network.
        imageLinks: protocol === 'https:' ? 'any' : 'none',
        thinkingBack: isMistral ? 'none' : 'plain',
        isMistral,
      }
    }
  }
}
