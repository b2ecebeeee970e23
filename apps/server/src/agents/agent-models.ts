import type { Clock, LogEntry, Model } from '@polylogue/engine'
import {
  ModelChoiceError,
  chooseDefaultModel,
  createDemoModel,
  createScriptedModel,
  resolveModel,
  type DefaultModel,
  type Environment,
  type ProviderConfigs,
} from '@polylogue/models'
import { ConfigError } from '../config/config-error.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { localFetch } from '../platform/local-fetch.ts'

/** The name of the demo where models are named. */
export const DEMO_MODEL = 'polylogue/demo'

export interface ChosenModel {
  readonly model: Model
  readonly modelName: string
}

export interface ModelParts {
  readonly clock: Clock
  readonly env: Environment
  readonly providers: ProviderConfigs
  readonly log: (entry: LogEntry) => void
}

/** What agents without a model get. The network is asked only if there is such an agent and nothing says what it gets. */
export async function chooseModel(
  config: LoadedConfig,
  parts: Omit<ModelParts, 'log'>,
): Promise<DefaultModel | undefined> {
  const { agents, defaultModel } = config
  if (agents.length > 0 && agents.every(({ model }) => model !== undefined)) return undefined
  if (defaultModel !== undefined) return { name: defaultModel, sentence: `${defaultModel}, as configured.` }
  return chooseDefaultModel({ ...parts, fetch: localFetch })
}

/** Throws `ConfigError`; `origin` says where the name was written. */
export function findModel(name: string, origin: string, parts: ModelParts): ChosenModel {
  const { clock } = parts
  if (name === 'demo') return { model: createDemoModel({ clock }), modelName: DEMO_MODEL }
  if (name === 'scripted') return { model: createScriptedModel({ clock }), modelName: 'polylogue/scripted' }
  try {
    const model = resolveModel(name, parts)
    return { model, modelName: model.modelName }
  } catch (error) {
    if (error instanceof ModelChoiceError) throw new ConfigError(`${origin}: ${error.message}`, { cause: error })
    throw error
  }
}
