import { findProvider, providerNames } from '../providers/find-provider.ts'
import { isOwnServer } from './list-served-models.ts'
import { ModelChoiceError } from '../providers/model-choice-error.ts'
import { findMissingPackage, installCommand } from '../providers/optional-packages.ts'
import type { Environment, ProviderConfigs } from '../providers/provider-config.ts'

export interface DescribedProvider {
  readonly name: string
  readonly title: string
  /** Its credentials are set. Says nothing about whether the provider accepts them. */
  readonly isReady: boolean
  /** What to do before its models can be used. */
  readonly need?: string
  /** A server of your own: only asking it shows which models it has. */
  readonly isAsked: boolean
}

/** Every provider that is known or configured, and what it still needs. */
export function describeProviders(providers: ProviderConfigs, env: Environment): readonly DescribedProvider[] {
  return providerNames(providers).map((name) => {
    try {
      const provider = findProvider(name, providers, env)
      const { title, apiKey, needsKey, apiKeyFrom, kind } = provider
      const missing = findMissingPackage(kind)
      const isAsked = isOwnServer(provider)
      if (needsKey && apiKey === undefined) return { name, title, isReady: false, isAsked, need: `Set ${apiKeyFrom}.` }
      if (missing !== undefined) return { name, title, isReady: false, isAsked, need: installCommand(missing) }
      return { name, title, isReady: true, isAsked }
    } catch (error) {
      if (error instanceof ModelChoiceError) {
        return { name, title: name, isReady: false, isAsked: false, need: `${error.message}.` }
      }
      throw error
    }
  })
}
