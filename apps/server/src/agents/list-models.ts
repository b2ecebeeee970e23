import type { ModelCard, ModelList } from '@polylogue/console'
import {
  describeCatalogue,
  describeProviders,
  listServedModels,
  listUsableModels,
  type UsableModel,
} from '@polylogue/models'
import type { LoadedConfig } from '../config/load-config.ts'
import { systemClock } from '../platform/system-clock.ts'
import { createPriceBook } from '../usage/price-book.ts'
import type { AgentParts } from './compose-agents.ts'

/** Lists what sessions can use now. Asks the servers on this machine, for a second at most. */
export async function listModels(
  { agents, modelNote }: Pick<AgentParts, 'agents' | 'modelNote'>,
  { providers, prices }: Pick<LoadedConfig, 'providers' | 'prices'>,
): Promise<ModelList> {
  const { env } = process
  const own = agents.list().map(({ modelName }) => modelName)
  const defaultName = agents.find(agents.defaultName)?.modelName ?? own[0] ?? ''
  const known = listUsableModels({ providers, env })
  const served = await listServedModels({ providers, env, clock: systemClock, fetch: globalThis.fetch })
  const described = describeProviders(providers, env)
  const listed = new Map([...known, ...served].map((model) => [model.name, model]))
  const isServed = new Set(served.map(({ provider }) => provider))
  const others = [...new Set(own)].filter((name) => !listed.has(name) && isReady(name, described)).map(toUnknown)
  const book = createPriceBook({ prices, providers, env })
  const models = [...others, ...listed.values()].map(({ price: _listPrice, ...model }): ModelCard => {
    const price = book.find(model.name)
    return { ...model, isDefault: model.name === defaultName, ...(price && { price }) }
  })
  return {
    default: { name: defaultName, reason: modelNote },
    models: models.toSorted((left, right) => Number(right.isDefault) - Number(left.isDefault)),
    providers: described.map(({ isAsked, ...provider }) =>
      isAsked && !isServed.has(provider.name)
        ? { ...provider, isReady: false, need: 'No server answers there, or it has no model.' }
        : provider,
    ),
    catalogue: describeCatalogue(),
  }
}

/** The demo and models given as code have no provider and need no key. */
function isReady(name: string, described: ReturnType<typeof describeProviders>): boolean {
  const provider = described.find((candidate) => name.startsWith(`${candidate.name}/`))
  return provider === undefined || provider.isReady
}

function toUnknown(name: string): UsableModel {
  return { name, title: name, provider: name.slice(0, Math.max(0, name.indexOf('/'))) }
}
