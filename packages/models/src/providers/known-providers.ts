import type { ProviderKind } from './provider-config.ts'

export interface KnownProvider {
  readonly title: string
  readonly kind: ProviderKind
  readonly host: string
  /** Added to an address that has no path of its own. */
  readonly path: string
  readonly keyVariables: readonly string[]
  readonly needsKey: boolean
  /** The wire format of servers elsewhere that use this name; the same if absent. */
  readonly kindElsewhere?: ProviderKind
  /** The header that carries the key instead of `Authorization`. */
  readonly keyHeader?: string
  readonly hasOwnModelNames?: boolean
  readonly firstByteMs?: number
}

const OLLAMA_ADDRESS = 'http://127.0.0.1:11434'

/** A local server sends nothing while it loads a model into memory and reads a long prompt. */
const LOADING_MS = 240_000

const hosted = (title: string, address: string, keyVariable: string): KnownProvider => {
  const { origin, pathname } = new URL(address)
  return {
    title,
    kind: 'openai-compatible',
    host: origin,
    path: pathname,
    keyVariables: [keyVariable],
    needsKey: true,
  }
}

const local = (title: string, host: string): KnownProvider => ({
  title,
  kind: 'openai-compatible',
  host,
  path: '/v1',
  keyVariables: [],
  needsKey: false,
  firstByteMs: LOADING_MS,
})

/** Providers that need no address: a key in the environment, or a server on this machine, is enough. */
export const KNOWN_PROVIDERS: { readonly [name: string]: KnownProvider } = {
  anthropic: {
    title: 'Anthropic',
    kind: 'anthropic',
    host: 'https://api.anthropic.com',
    path: '/v1',
    keyVariables: ['ANTHROPIC_API_KEY'],
    needsKey: true,
  },
  openai: {
    title: 'OpenAI',
    kind: 'openai',
    // Servers elsewhere speak the older, widely copied format.
    kindElsewhere: 'openai-compatible',
    host: 'https://api.openai.com',
    path: '/v1',
    keyVariables: ['OPENAI_API_KEY'],
    needsKey: true,
  },
  google: {
    title: 'Google',
    kind: 'google',
    host: 'https://generativelanguage.googleapis.com',
    path: '/v1beta',
    keyVariables: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    needsKey: true,
  },
  openrouter: hosted('OpenRouter', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'),
  mistral: hosted('Mistral', 'https://api.mistral.ai/v1', 'MISTRAL_API_KEY'),
  xai: hosted('xAI', 'https://api.x.ai/v1', 'XAI_API_KEY'),
  deepseek: hosted('DeepSeek', 'https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY'),
  groq: hosted('Groq', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY'),
  together: hosted('Together', 'https://api.together.xyz/v1', 'TOGETHER_API_KEY'),
  fireworks: hosted('Fireworks', 'https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY'),
  ollama: local('Ollama', OLLAMA_ADDRESS),
  lmstudio: local('LM Studio', 'http://127.0.0.1:1234'),
  vllm: local('vLLM', 'http://127.0.0.1:8000'),
  llamacpp: local('llama.cpp', 'http://127.0.0.1:8080'),
}
