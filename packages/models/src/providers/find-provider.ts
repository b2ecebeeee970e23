import { CLOUD_PROVIDERS, type CloudAccount, type CloudProvider } from './cloud-providers.ts'
import { KNOWN_PROVIDERS, type KnownProvider } from './known-providers.ts'
import { findMissingPackage } from './optional-packages.ts'
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
import { readVariable } from './read-variable.ts'

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
  /** The header that carries the key instead of `Authorization`. */
  readonly keyHeader?: string
  readonly account?: CloudAccount
  /** Users name the models themselves, so the catalogue does not tell which ones there are. */
  readonly hasOwnModelNames: boolean
  /** Whether the address is the known provider's own. Elsewhere, catalogue facts do not apply. */
  readonly isAtHome: boolean
  readonly deadlines: Deadlines
  readonly config: ProviderConfig
}

/** Throws `ModelChoiceError` for an unknown provider. */
export function findProvider(name: string, configs: ProviderConfigs, env: Environment): Provider {
  const config = Object.hasOwn(configs, name) ? (configs[name] ?? {}) : {}
  const known = findKnown(name, config, env)
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
    ...(known?.keyHeader !== undefined && { keyHeader: known.keyHeader }),
    ...(known?.account && { account: known.account }),
    hasOwnModelNames: known?.hasOwnModelNames ?? false,
    isAtHome,
    deadlines: {
      ...DEFAULT_DEADLINES,
      ...(known?.firstByteMs !== undefined && { firstByteMs: known.firstByteMs }),
      ...config.deadlines,
    },
    config,
  }
}

/** Throws `ModelChoiceError` if a cloud provider lacks a setting. */
function findKnown(name: string, config: ProviderConfig, env: Environment): CloudProvider | undefined {
  if (Object.hasOwn(KNOWN_PROVIDERS, name)) return KNOWN_PROVIDERS[name]
  const found = Object.hasOwn(CLOUD_PROVIDERS, name) ? CLOUD_PROVIDERS[name]?.(config, env) : undefined
  if (typeof found === 'string') throw new ModelChoiceError(found)
  return found
}

/** Providers with credentials, from the configuration or the environment, whose package is installed. */
export function findKeyedProviders(configs: ProviderConfigs, env: Environment): readonly Provider[] {
  return providerNames(configs).flatMap((name) => {
    try {
      const provider = findProvider(name, configs, env)
      const hasAccess = provider.apiKey !== undefined || (provider.account !== undefined && !provider.needsKey)
      return hasAccess && findMissingPackage(provider.kind) === undefined ? [provider] : []
    } catch (error) {
      if (error instanceof ModelChoiceError) return []
      throw error
    }
  })
}

function kindOf(known: KnownProvider | undefined, isAtHome: boolean): ProviderKind {
  if (known === undefined) return 'openai-compatible'
  return isAtHome ? known.kind : (known.kindElsewhere ?? known.kind)
}

/** Every provider that is known or configured. */
export const providerNames = (configs: ProviderConfigs): readonly string[] => [
  ...new Set([...Object.keys(KNOWN_PROVIDERS), ...Object.keys(CLOUD_PROVIDERS), ...Object.keys(configs)]),
]

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
  return `${url.origin}${url.pathname}`.replace(/(?<!\/)\/+$/, '')
}

function unknownProvider(name: string, prefix: string, configs: ProviderConfigs): string {
  const names = providerNames(configs).toSorted().join(', ')
  return (
    `no provider is named ${name}; there are ${names}. ` +
    `${prefix}_BASE_URL can give the address of an OpenAI-compatible server`
  )
}
