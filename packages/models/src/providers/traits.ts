import type { Provider } from './find-provider.ts'

/** In what the providers differ beyond their wire formats, which the AI SDK knows. */
export interface Traits {
  /** Which links to images the provider follows itself; `typed` needs the image's type in the link. */
  readonly imageLinks: 'any' | 'typed' | 'none'
  /** Where images that a tool returned go: into its result, or after all results as if the user had sent them. */
  readonly toolImages: 'in-result' | 'as-user'
  /** Links to images inside tool results are followed too. */
  readonly toolImageLinks: boolean
  /** By what thinking is known again; `plain` is taken back as it is, while its turn goes on. */
  readonly thinkingBack: 'anthropic' | 'openai' | 'google' | 'plain' | 'none'
  /** Refuses thinking in the middle of a turn whose earlier steps have none. */
  readonly thinkingFromTheStart: boolean
  /** Parts of the prompt that are to be cached are marked. */
  readonly cacheMarks: boolean
  readonly strictTools: boolean | undefined
  /** Call ids are exactly nine letters and digits, and the user never speaks right after a tool. */
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
        // Left to itself, OpenAI makes every optional parameter of a tool a required one.
        strictTools: false,
      }
    case 'google':
      return { ...NONE, imageLinks: 'typed', toolImages: 'in-result', thinkingBack: 'google' }
    case 'openai-compatible': {
      const { protocol, hostname } = new URL(baseUrl)
      const isMistral = hostname === 'api.mistral.ai'
      return {
        ...NONE,
        // A server next door would fetch whatever address a user writes from inside our network.
        imageLinks: protocol === 'https:' ? 'any' : 'none',
        thinkingBack: isMistral ? 'none' : 'plain',
        isMistral,
      }
    }
  }
}
