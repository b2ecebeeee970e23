import { findProvider, providerNames, type Provider } from '../providers/find-provider.ts'
import { listOfferedModels, listOllamaModels, type ListDeps } from '../providers/list-models.ts'
import { ModelChoiceError } from '../providers/model-choice-error.ts'
import type { Environment, ProviderConfigs } from '../providers/provider-config.ts'
import { toUsable, type UsableModel } from './list-usable-models.ts'

export interface ServedDeps extends ListDeps {
  readonly env: Environment
  readonly providers?: ProviderConfigs
}

/**
 * The models of servers of your own: those on this machine, configured ones, and those at an address from the environment.
 * Each is asked, for a second at most; one that does not answer has no models. Never rejects.
 */
export async function listServedModels(deps: ServedDeps): Promise<readonly UsableModel[]> {
  const { env, providers = {} } = deps
  const asked = providerNames(providers)
    .flatMap((name) => find(name, providers, env))
    .filter(isOwnServer)
  const found = await Promise.all(asked.map((provider) => askServer(provider, deps)))
  return found.flat()
}

function find(name: string, providers: ProviderConfigs, env: Environment): readonly Provider[] {
  try {
    return [findProvider(name, providers, env)]
  } catch (error) {
    if (error instanceof ModelChoiceError) return []
    throw error
  }
}

/** Nobody but the server knows its models. */
export const isOwnServer = ({ kind, needsKey, isAtHome }: Provider): boolean =>
  kind === 'openai-compatible' && (!needsKey || !isAtHome)

async function askServer(provider: Provider, deps: ServedDeps): Promise<readonly UsableModel[]> {
  const { name, baseUrl, apiKey } = provider
  const models =
    name === 'ollama'
      ? await listOllamaModels(baseUrl, deps)
      : await listOfferedModels({ baseUrl, ...(apiKey !== undefined && { apiKey }) }, deps)
  return (models ?? []).map((model) => toUsable(provider, model))
}
