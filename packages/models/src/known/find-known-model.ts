import type { Price } from '@polylogue/engine'
import { ModelChoiceError } from '../providers/model-choice-error.ts'
import { findProvider, type Provider } from '../providers/find-provider.ts'
import { parseModelName } from '../providers/parse-model-name.ts'
import type { Environment, ProviderConfigs } from '../providers/provider-config.ts'
import { knownModelsOf, type KnownModel } from './known-models.ts'

/** A dated or numbered release of a model shares the facts of its plain name. */
const RELEASE = /-(\d{8}|\d{4}-\d{2}-\d{2}|latest|\d{3,4})$/

/** Also `undefined` where a known provider's name is used for another server. */
export function findKnownModel({ name, isAtHome }: Provider, model: string): KnownModel | undefined {
  if (!isAtHome) return undefined
  const models = knownModelsOf(name)
  const known = [model, model.replace(RELEASE, '')].find((candidate) => Object.hasOwn(models, candidate))
  return known === undefined ? undefined : models[known]
}

/** A model's list price in US dollars, if known. */
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
