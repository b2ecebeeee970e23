import type { AgentCatalog, ModelCatalog, NamedModel, OfferedModel } from '@polylogue/engine'
import { ModelChoiceError, findProvider, resolveModel } from '@polylogue/models'
import type { ModelParts } from './agent-models.ts'

/** Resolved models are kept; names come from clients, so not for ever. */
const MOST_KEPT = 200

/**
 * The models that sessions may have: those of all agents under their names, and every other of a provider that has a key
 * or needs none.
 */
export function createModelCatalog(
  agents: AgentCatalog & { readonly defaultName: string },
  parts: ModelParts,
): ModelCatalog {
  const kept = new Map<string, NamedModel>()
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
      const first = agents.find(agents.defaultName)
      const names = new Set([...(first ? [first.modelName] : []), ...agents.list().map(({ modelName }) => modelName)])
      return [...names].map((name): OfferedModel => ({ name, title: name }))
    },
  }
}
