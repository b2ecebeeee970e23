import { KNOWN_PROVIDERS, type KnownProvider } from './known-providers.ts'
import { ModelChoiceError } from './model-choice-error.ts'
import {
  DEFAULT_DEADLINES,
  isBaseUrl,
  type Deadlines,
  type Environment,
  type ProviderConfig,
  type ProviderConfigs,
  type ProviderKind,
} from './provider-config.ts'

/** A provider's address, key and settings. */
export interface Provider {
  readonly name: string
  /** Its name in sentences. */
  readonly title: string
  readonly kind: ProviderKind
  readonly baseUrl: string
  readonly apiKey?: string
  /** Where the key was found, or would be looked up. */
  readonly apiKeyFrom: string
  readonly needsKey: boolean
  /** Whether the address is the known provider's own. Elsewhere, catalogue facts do not apply. */
  readonly isAtHome: boolean
  readonly deadlines: Deadlines
  readonly config: ProviderConfig
}

/** Throws `ModelChoiceError` for an unknown provider. */
export function findProvider(name: string, configs: ProviderConfigs, env: Environment): Provider {
  const config = Object.hasOwn(configs, name) ? (configs[name] ?? {}) : {}
  const known = Object.hasOwn(KNOWN_PROVIDERS, name) ? KNOWN_PROVIDERS[name] : undefined
  const prefix = name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')
  const address = config.baseUrl ?? readVariable(env, `${prefix}_BASE_URL`) ?? ollamaHost(name, env) ?? known?.host
  if (address === undefined) throw new ModelChoiceError(unknownProvider(name, prefix, configs))
  if (!isBaseUrl(address)) {
    throw new ModelChoiceError(`the address of the provider ${name} must begin with http:// or https://`)
  }
  const isAtHome = known !== undefined && new URL(address).host === new URL(known.host).host
  const kind = config.kind ?? kindOf(known, isAtHome)
  const keyVariables = [config.apiKeyEnv, ...(known?.keyVariables ?? []), `${prefix}_API_KEY`].filter(
    (variable) => variable !== undefined,
  )
  const variable = keyVariables.find((candidate) => readVariable(env, candidate) !== undefined)
  const apiKey = config.apiKey ?? (variable && readVariable(env, variable))
  return {
    name,
    title: known?.title ?? `The provider ${name}`,
    kind,
    baseUrl: toBaseUrl(address, known?.path ?? ''),
    ...(apiKey !== undefined && { apiKey }),
    apiKeyFrom: config.apiKey === undefined ? (variable ?? keyVariables[0] ?? '') : 'the configuration',
    needsKey: kind === 'openai-compatible' ? isAtHome && known.needsKey : (known?.needsKey ?? true),
    isAtHome,
    deadlines: {
      ...DEFAULT_DEADLINES,
      ...(known?.firstByteMs !== undefined && { firstByteMs: known.firstByteMs }),
      ...config.deadlines,
    },
    config,
  }
}

/** Providers with a key, from the configuration or the environment. */
export function findKeyedProviders(configs: ProviderConfigs, env: Environment): readonly Provider[] {
  const names = [...new Set([...Object.keys(KNOWN_PROVIDERS), ...Object.keys(configs)])]
  return names.flatMap((name) => {
    try {
      const provider = findProvider(name, configs, env)
      return provider.apiKey === undefined ? [] : [provider]
    } catch (error) {
      if (error instanceof ModelChoiceError) return []
      throw error
    }
  })
}

/** A variable's value, unless blank. */
export function readVariable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}

/** A server elsewhere under OpenAI's name speaks the older, widely copied format. */
function kindOf(known: KnownProvider | undefined, isAtHome: boolean): ProviderKind {
  if (known === undefined) return 'openai-compatible'
  return known.kind === 'openai' && !isAtHome ? 'openai-compatible' : known.kind
}

/** Ollama's own variable: `host`, `host:port` or a URL. `0.0.0.0` is a listening address; connect to loopback instead. */
function ollamaHost(name: string, env: Environment): string | undefined {
  const value = name === 'ollama' ? readVariable(env, 'OLLAMA_HOST') : undefined
  if (value === undefined) return undefined
  const url = URL.parse(/^https?:\/\//.test(value) ? value : `http://${value}`)
  if (url === null) return undefined
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.port === '' && !value.includes('://')) url.port = '11434'
  return url.href
}

function toBaseUrl(address: string, path: string): string {
  const url = new URL(address)
  if (url.pathname === '/') url.pathname = path
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

function unknownProvider(name: string, prefix: string, configs: ProviderConfigs): string {
  const names = [...new Set([...Object.keys(KNOWN_PROVIDERS), ...Object.keys(configs)])].sort().join(', ')
  return (
    `no provider is named ${name}; there are ${names}. ` +
    `${prefix}_BASE_URL can give the address of an OpenAI-compatible server`
  )
}
