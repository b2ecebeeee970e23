import { findProvider, type Provider } from './find-provider.ts'
import { listOfferedModels, listOllamaModels, type ListDeps } from './list-models.ts'
import { parseModelName } from './parse-model-name.ts'
import type { Environment, ProviderConfigs } from './provider-config.ts'

export interface DefaultModel {
  /** `provider/model`, or `demo`. */
  readonly name: string
  /** Why this one, for the operator. */
  readonly sentence: string
}

export interface DefaultModelDeps extends ListDeps {
  readonly env: Environment
  readonly providers?: ProviderConfigs
}

/** Asked in this order; each with the model that is taken unless `providers` names another. */
const HOSTED = [
  ['anthropic', 'claude-sonnet-5-5'],
  ['openai', 'gpt-6-astra'],
  ['google', 'gemini-flash-latest'],
] as const

const NO_MODEL =
  'No model is set up, so the built-in demo answers; it is not an AI. Set ANTHROPIC_API_KEY, OPENAI_API_KEY or ' +
  'GOOGLE_GENERATIVE_AI_API_KEY, or start Ollama, and start again.'

/** The model of an agent that names none: the first provider with a key, else a local server, else the demo. */
export async function chooseDefaultModel(deps: DefaultModelDeps): Promise<DefaultModel> {
  const { env, providers = {} } = deps
  for (const [name, usual] of HOSTED) {
    const provider = findProvider(name, providers, env)
    const chosen = await chooseHosted(provider, usual, deps)
    if (chosen) return chosen
  }
  for (const [name, { model }] of Object.entries(providers)) {
    if (model === undefined || name === 'ollama') continue
    return { name: nameOf(name, model), sentence: `Model: ${name}/${model}, as configured.` }
  }
  return (await chooseOllama(deps)) ?? { name: 'demo', sentence: NO_MODEL }
}

async function chooseHosted(
  provider: Provider,
  usual: string,
  deps: DefaultModelDeps,
): Promise<DefaultModel | undefined> {
  const { name, kind, baseUrl, apiKey, apiKeyFrom, config } = provider
  const isElsewhere = kind === 'openai-compatible'
  if (apiKey === undefined && !isElsewhere) return undefined
  if (!isElsewhere || config.model !== undefined) {
    const chosen = nameOf(name, config.model ?? usual)
    return { name: chosen, sentence: `Model: ${chosen} (the key is from ${apiKeyFrom}).` }
  }
  const [first] = (await listOfferedModels({ baseUrl, ...(apiKey !== undefined && { apiKey }) }, deps)) ?? []
  const chosen = nameOf(name, first ?? usual)
  return { name: chosen, sentence: `Model: ${chosen} (at ${new URL(baseUrl).host}).` }
}

async function chooseOllama(deps: DefaultModelDeps): Promise<DefaultModel | undefined> {
  const { baseUrl, config } = findProvider('ollama', deps.providers ?? {}, deps.env)
  const models = await listOllamaModels(baseUrl, deps)
  if (models === undefined) return undefined
  const model = config.model ?? models[0]
  const { host } = new URL(baseUrl)
  if (model === undefined) {
    const sentence = `Ollama runs on ${host} but has no model, so the built-in demo answers. Run ollama pull, and start again.`
    return { name: 'demo', sentence }
  }
  const chosen = nameOf('ollama', model)
  return { name: chosen, sentence: `Model: ${chosen} (Ollama runs on ${host}).` }
}

function nameOf(provider: string, model: string): string {
  const parsed = parseModelName(`${provider}/${model}`)
  return `${parsed.provider}/${parsed.model}`
}
