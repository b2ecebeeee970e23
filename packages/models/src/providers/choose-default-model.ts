import { findProvider, type Provider } from './find-provider.ts'
import { listOfferedModels, listOllamaModels, type ListDeps } from './list-models.ts'
import { parseModelName } from './parse-model-name.ts'
import type { Environment, ProviderConfigs } from './provider-config.ts'
import { readVariable } from './read-variable.ts'

export interface DefaultModel {
  /** `provider/model`, or `demo`. */
  readonly name: string
  /** Which one and why, for the operator. */
  readonly sentence: string
}

export interface DefaultModelDeps extends ListDeps {
  readonly env: Environment
  readonly providers?: ProviderConfigs
}

/** Tried in this order, with the default model of each unless `providers` names another. */
export const HOSTED = [
  ['anthropic', 'claude-sonnet-5-5'],
  ['openai', 'gpt-6.1-sol'],
  ['google', 'gemini-flash-latest'],
  ['openrouter', 'anthropic/claude-sonnet-5.5'],
  ['xai', 'grok-4.7'],
  ['mistral', 'mistral-large-latest'],
  ['deepseek', 'deepseek-v4-pro'],
  ['together', 'zai-org/GLM-5.3'],
  ['fireworks', 'accounts/fireworks/routers/glm-latest'],
  ['groq', 'openai/gpt-oss-120b'],
] as const

const NO_MODEL =
  'A built-in demo answers: no AI, no account, no network. For a real model set ANTHROPIC_API_KEY, OPENAI_API_KEY or ' +
  'GEMINI_API_KEY, or start Ollama.'

/**
 * The model for agents that name none: `POLYLOGUE_MODEL`, else the first provider with a key, else a local server, else the
 * demo.
 */
export async function chooseDefaultModel(deps: DefaultModelDeps): Promise<DefaultModel> {
  const { env, providers = {} } = deps
  const wanted = readVariable(env, 'POLYLOGUE_MODEL')
  if (wanted === 'demo') return { name: 'demo', sentence: NO_MODEL }
  if (wanted !== undefined) return { name: wanted, sentence: `${wanted}, as POLYLOGUE_MODEL says.` }
  for (const [name, usual] of HOSTED) {
    const provider = findProvider(name, providers, env)
    const chosen = await chooseHosted(provider, usual, deps)
    if (chosen) return chosen
  }
  for (const [name, { model }] of Object.entries(providers)) {
    if (model === undefined || name === 'ollama') continue
    return { name: nameOf(name, model), sentence: `${name}/${model}, as configured.` }
  }
  return (await chooseOllama(deps)) ?? { name: 'demo', sentence: NO_MODEL }
}

async function chooseHosted(
  provider: Provider,
  usual: string,
  deps: DefaultModelDeps,
): Promise<DefaultModel | undefined> {
  const { name, kind, isAtHome, baseUrl, apiKey, apiKeyFrom, config } = provider
  const isElsewhere = kind === 'openai-compatible' && !isAtHome
  if (apiKey === undefined && !isElsewhere) return undefined
  if (!isElsewhere || config.model !== undefined) {
    const chosen = nameOf(name, config.model ?? usual)
    return { name: chosen, sentence: `${chosen}, with the key from ${apiKeyFrom}.` }
  }
  const [first] = (await listOfferedModels({ baseUrl, ...(apiKey !== undefined && { apiKey }) }, deps)) ?? []
  const chosen = nameOf(name, first ?? usual)
  return { name: chosen, sentence: `${chosen}, at ${new URL(baseUrl).host}.` }
}

async function chooseOllama(deps: DefaultModelDeps): Promise<DefaultModel | undefined> {
  const { baseUrl, config } = findProvider('ollama', deps.providers ?? {}, deps.env)
  const models = await listOllamaModels(baseUrl, deps)
  if (models === undefined) return undefined
  const model = config.model ?? models[0]
  const { host } = new URL(baseUrl)
  if (model === undefined) {
    const sentence = `Ollama runs on ${host} but has no model, so a built-in demo answers: no AI. Give it one with ollama pull.`
    return { name: 'demo', sentence }
  }
  const chosen = nameOf('ollama', model)
  return { name: chosen, sentence: `${chosen}, from Ollama on ${host}.` }
}

function nameOf(provider: string, model: string): string {
  const parsed = parseModelName(`${provider}/${model}`)
  return `${parsed.provider}/${parsed.model}`
}
