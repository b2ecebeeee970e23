import type { AgentDefinition } from '@polylogue/engine'
import { ModelChoiceError, findProvider, type Environment, type Provider } from '@polylogue/models'
import type { LoadedConfig } from '../config/load-config.ts'

export interface KeylessAgent {
  readonly agent: string
  readonly model: string
  /** Names the agent, and where its key would come from. */
  readonly sentence: string
}

/** Finds agents whose provider has no key. They serve only sessions that bring a key. */
export function findKeyless(
  agents: readonly Pick<AgentDefinition, 'name' | 'modelName'>[],
  { config, env }: { readonly config: Pick<LoadedConfig, 'agents' | 'providers'>; readonly env: Environment },
): readonly KeylessAgent[] {
  // Models given as code find their keys themselves.
  const ownCode = new Set(config.agents.filter(({ model }) => typeof model === 'object').map(({ name }) => name))
  return agents.flatMap(({ name, modelName }) => {
    const provider = ownCode.has(name) ? undefined : providerOf(modelName, config, env)
    if (provider === undefined || provider.apiKey !== undefined || !provider.needsKey) return []
    const { apiKeyFrom } = provider
    return [{ agent: name, model: modelName, sentence: `${name} has no API key for ${modelName}: set ${apiKeyFrom}.` }]
  })
}

/** `undefined` for models of no provider, as the demo. */
function providerOf(
  modelName: string,
  { providers }: Pick<LoadedConfig, 'providers'>,
  env: Environment,
): Provider | undefined {
  try {
    return findProvider(modelName.slice(0, Math.max(0, modelName.indexOf('/'))), providers, env)
  } catch (error) {
    if (error instanceof ModelChoiceError) return undefined
    throw error
  }
}
