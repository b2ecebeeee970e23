import type { AgentCatalog, AgentDefinition, Clock, Model } from '@polylogue/engine'
import { createDemoModel, createScriptedModel } from '@polylogue/models'
import { ConfigError } from '../config/config-error.ts'
import type { LoadedAgent, LoadedConfig } from '../config/load-config.ts'
import { createAssistant } from './assistant.ts'
import { createScriptedAgents } from './scripted-agents.ts'

export interface CatalogParts {
  /** Also serve the agents `scripted` and `scripted-min`. */
  readonly scripted: boolean
  readonly clock: Clock
}

/** All agents of this server. Throws `ConfigError` when two have one name or the default agent is not among them. */
export function createAgentCatalog(
  config: LoadedConfig,
  { scripted, clock }: CatalogParts,
): AgentCatalog & { readonly defaultName: string } {
  const parts = { clock, maxSteps: config.limits.maxSteps }
  const list = [
    ...config.agents.map((agent) => toDefinition(agent, parts)),
    ...(config.agents.length === 0 ? [createAssistant(parts)] : []),
    ...(scripted ? createScriptedAgents(parts) : []),
  ]
  const agents = new Map<string, AgentDefinition>()
  for (const agent of list) {
    if (agents.has(agent.name)) throw new ConfigError(`${originOf(config, agent)}: the name ${agent.name} is taken`)
    agents.set(agent.name, agent)
  }
  return { find: (name) => agents.get(name), list: () => list, defaultName: defaultNameOf(config, [...agents.keys()]) }
}

function originOf({ agents }: LoadedConfig, { name }: AgentDefinition): string {
  return agents.findLast((agent) => agent.name === name)?.origin ?? 'agents'
}

function defaultNameOf({ file, defaultAgent }: LoadedConfig, names: readonly string[]): string {
  const [first = ''] = names
  if (defaultAgent === undefined) return first
  if (names.includes(defaultAgent)) return defaultAgent
  throw new ConfigError(`${file}: defaultAgent: no agent is named ${defaultAgent}; there are ${names.join(', ')}`)
}

function toDefinition(
  agent: LoadedAgent,
  { clock, maxSteps }: { readonly clock: Clock; readonly maxSteps: number },
): AgentDefinition {
  const { origin: _, ...settings } = agent
  return { ...settings, maxSteps: agent.maxSteps ?? maxSteps, ...modelOf(agent, clock) }
}

function modelOf(
  { name, model, modelName }: LoadedAgent,
  clock: Clock,
): { readonly model: Model; readonly modelName: string } {
  switch (model) {
    case 'demo':
      return { model: createDemoModel({ clock }), modelName: 'polylogue/demo' }
    case 'scripted':
      return { model: createScriptedModel({ clock }), modelName: 'polylogue/scripted' }
    default:
      return { model, modelName: modelName ?? `custom/${name}` }
  }
}
