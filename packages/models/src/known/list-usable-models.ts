import { findKeyedProviders, type Provider } from '../providers/find-provider.ts'
import type { Environment, ProviderConfigs } from '../providers/provider-config.ts'
import { findKnownModel } from './find-known-model.ts'
import { knownModelsOf, type KnownModel } from './known-models.ts'

/** A model that a session can use now, with what is known about it. */
export interface UsableModel extends Partial<Omit<KnownModel, 'name'>> {
  /** `provider/model` */
  readonly name: string
  /** For people. */
  readonly title: string
  readonly provider: string
}

/**
 * Every known model of each provider that has credentials, in the order of the catalogue. Reads data files only and never
 * asks the network, so it leaves out what a server of your own offers: see `listServedModels`.
 */
export function listUsableModels({
  providers = {},
  env,
}: {
  readonly providers?: ProviderConfigs
  readonly env: Environment
}): readonly UsableModel[] {
  return findKeyedProviders(providers, env).flatMap(listOf)
}

/** The provider's configured model comes first, known or not. */
function listOf(provider: Provider): readonly UsableModel[] {
  const { name, isAtHome, hasOwnModelNames, config } = provider
  const catalogue = isAtHome && !hasOwnModelNames ? Object.keys(knownModelsOf(name)) : []
  const chosen = config.model === undefined ? [] : [config.model]
  return [...new Set([...chosen, ...catalogue])].map((model) => toUsable(provider, model))
}

export function toUsable(provider: Provider, model: string): UsableModel {
  const { name: title = model, ...facts } = findKnownModel(provider, model) ?? {}
  return { name: `${provider.name}/${model}`, title, provider: provider.name, ...facts }
}
