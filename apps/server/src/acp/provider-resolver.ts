import type { ProviderResolver } from '@polylogue/acp'
import type { AgentCatalog } from '@polylogue/engine'
import { ModelChoiceError, findProvider, type Environment, type ProviderConfigs } from '@polylogue/models'

export interface ProviderResolverDeps {
  readonly agents: Pick<AgentCatalog, 'list'>
  readonly providers: ProviderConfigs
  readonly env: Environment
}

/** A session may use models of the agents' providers and of every provider that has a key. */
export function createProviderResolver({ agents, providers, env }: ProviderResolverDeps): ProviderResolver {
  return {
    async canResolve(provider, profile) {
      if (agents.list().some(({ modelName }) => modelName.startsWith(`${provider}/`))) return true
      if (profile === 'seed') return isTheOne(provider, env)
      try {
        const { needsKey, apiKey } = findProvider(provider, providers, env)
        return !needsKey || apiKey !== undefined
      } catch (error) {
        if (error instanceof ModelChoiceError) return false
        throw error
      }
    },
  }
}

/** The field reference has one provider, named by the environment. */
function isTheOne(provider: string, env: Environment): boolean {
  const prefix = (env['LLM_PROVIDER'] || 'OPENAI').toUpperCase()
  return provider === prefix.toLowerCase() && Boolean(env[`${prefix}_API_KEY`])
}
