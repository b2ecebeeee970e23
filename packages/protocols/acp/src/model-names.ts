import type { AgentDefinition, ModelCatalog } from '@polylogue/engine'
import { invalidParams } from './rpc/rpc-error.ts'

/** The provider is the part before the first `/`. The model name itself may contain `/`. */
export function providerOf(modelName: string): string {
  const slash = modelName.indexOf('/')
  return slash === -1 ? '' : modelName.slice(0, slash)
}

export interface ModelChoice {
  readonly provider: string
  readonly name: string
}

/** Accepts `provider/model`, or a model name of the current provider. */
export function parseModelValue(value: string, current: string): ModelChoice {
  const slash = value.indexOf('/')
  if (slash === -1) return ofProvider(providerOf(current), value.trim())
  const provider = value.slice(0, slash).trim().toLowerCase()
  const model = value.slice(slash + 1).trim()
  if (provider === '' || model === '') throw invalidParams('value', 'must be provider/model')
  return ofProvider(provider, model)
}

export const ofProvider = (provider: string, model: string): ModelChoice => ({ provider, name: `${provider}/${model}` })

/** The session's model if it is available, else the agent's. */
export function currentModel(
  own: string | undefined,
  agent: AgentDefinition | undefined,
  models: ModelCatalog,
): string | undefined {
  return own !== undefined && models.find(own) !== undefined ? own : agent?.modelName
}
