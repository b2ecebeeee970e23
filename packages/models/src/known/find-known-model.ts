import type { Price } from '@polylogue/engine'
import { ModelChoiceError } from '../providers/model-choice-error.ts'
import { findProvider, type Provider } from '../providers/find-provider.ts'
import { parseModelName } from '../providers/parse-model-name.ts'
import type { Environment, ProviderConfigs } from '../providers/provider-config.ts'
import { KNOWN_MODELS, type KnownModel } from './known-models.ts'

/** A provider of a known name may stand for another server; what is known holds at its own address only. */
const HOSTS: { readonly [provider: string]: string } = {
  anthropic: 'api.anthropic.com',
  openai: 'api.openai.com',
  google: 'generativelanguage.googleapis.com',
}

/** A dated version of a model is what its plain name is. */
const VERSION = /-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/

export function findKnownModel({ name, baseUrl }: Provider, model: string): KnownModel | undefined {
  if (!Object.hasOwn(HOSTS, name) || new URL(baseUrl).hostname !== HOSTS[name]) return undefined
  const models = KNOWN_MODELS[name] ?? {}
  const plain = [model, model.replace(VERSION, '')].find((candidate) => Object.hasOwn(models, candidate))
  return plain === undefined ? undefined : models[plain]
}

/** What a model costs by its provider's list, in US dollars. `undefined`: nobody knows. */
export function findListPrice(
  name: string,
  { providers = {}, env }: { readonly providers?: ProviderConfigs; readonly env: Environment },
): Price | undefined {
  try {
    const { provider, model } = parseModelName(name)
    const price = findKnownModel(findProvider(provider, providers, env), model)?.price
    return price && { ...price, currency: 'USD' }
  } catch (error) {
    if (error instanceof ModelChoiceError) return undefined
    throw error
  }
}
