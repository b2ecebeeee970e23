import type { AgentCatalog, ModelCatalog, NamedModel, OfferedModel } from '@polylogue/engine'
import {
  ModelChoiceError,
  findProvider,
  listServedModels,
  listUsableModels,
  resolveModel,
  type UsableModel,
} from '@polylogue/models'
import { localFetch } from '../platform/local-fetch.ts'
import type { ModelParts } from './agent-models.ts'

/** Servers of your own are asked again after this time. */
const ASK_AGAIN_MS = 30_000

export interface ServerModels extends ModelCatalog {
  /** Asks the servers of your own (Ollama, LM Studio, …) what they have, in bounded time. `list` has it afterwards. */
  askServers(): Promise<void>
}

/** Names come from clients, so the number of cached models is limited. */
const MOST_KEPT = 200

/**
 * The models that sessions can use: those of all agents, and any other of a provider that has a key or needs none. It lists
 * those that the catalogue knows and those that servers of the user report.
 */
export function createModelCatalog(
  agents: AgentCatalog & { readonly defaultName: string },
  parts: ModelParts & { readonly fetch?: typeof globalThis.fetch },
): ServerModels {
  const kept = new Map<string, NamedModel>()
  /** Of the catalogue. Keys are read at start, so this does not change. */
  let known: ReadonlyMap<string, OfferedModel> | undefined
  let served: readonly OfferedModel[] = []
  let asking: { readonly at: number; readonly asked: Promise<void> } | undefined
  const ask = async (): Promise<void> => {
    const found = await listServedModels({ ...parts, fetch: parts.fetch ?? localFetch })
    served = found.map(({ name, title }) => toOffered(name, title))
  }
  const toOffered = (name: string, title: string): OfferedModel => {
    const group = titleOfProvider(name, parts)
    return { name, title, ...(group !== undefined && { group }) }
  }
  const toListed = ({ name, title, thinking }: UsableModel): OfferedModel => ({
    ...toOffered(name, title),
    ...(thinking !== undefined && { thinkingLevels: thinking }),
  })
  const own = (name: string): NamedModel | undefined => {
    const agent = agents.list().find(({ modelName }) => modelName === name)
    return agent && { model: agent.model, modelName: agent.modelName }
  }
  const keep = (name: string, found: NamedModel): NamedModel => {
    const oldest = kept.keys().next()
    if (kept.size >= MOST_KEPT && !oldest.done) kept.delete(oldest.value)
    kept.set(name, found)
    return found
  }
  return {
    find(name) {
      const known = own(name) ?? kept.get(name)
      if (known !== undefined) return known
      try {
        const provider = findProvider(name.slice(0, Math.max(0, name.indexOf('/'))), parts.providers, parts.env)
        if (provider.needsKey && provider.apiKey === undefined) return undefined
        const model = resolveModel(name, parts)
        return keep(name, { model, modelName: model.modelName })
      } catch (error) {
        if (error instanceof ModelChoiceError) return undefined
        throw error
      }
    },
    list() {
      known ??= new Map(listUsableModels(parts).map((model) => [model.name, toListed(model)]))
      const first = agents.find(agents.defaultName)
      const own = [...(first ? [first.modelName] : []), ...agents.list().map(({ modelName }) => modelName)]
      const listed = new Map([...known, ...served.map((model) => [model.name, model] as const)])
      return [...new Set([...own, ...listed.keys()])].map((name) => listed.get(name) ?? toOffered(name, name))
    },
    askServers() {
      const { clock } = parts
      if (asking === undefined || clock.now() - asking.at >= ASK_AGAIN_MS) asking = { at: clock.now(), asked: ask() }
      return asking.asked
    },
  }
}

/** `undefined` for models of no provider, such as the demo. */
function titleOfProvider(name: string, { providers, env }: ModelParts): string | undefined {
  const provider = name.slice(0, Math.max(0, name.indexOf('/')))
  try {
    const { title, name: known } = findProvider(provider, providers, env)
    return title === `The provider ${known}` ? known : title
  } catch (error) {
    if (error instanceof ModelChoiceError) return undefined
    throw error
  }
}
