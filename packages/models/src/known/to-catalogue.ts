// Turns the list of models inside the npm package @earendil-works/pi-ai (MIT) into ours. Only models that hold a conversation are
// kept.
import { z } from 'zod'
import type { KnownModel, KnownModels } from './known-models.ts'

/** The npm package with the list. It is fetched to refresh the catalogue and is not a dependency. */
export const CATALOGUE_SOURCE = '@earendil-works/pi-ai'

/** Our name of each provider, and the file of the source that lists its models. */
export const SOURCE_FILES: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'google',
  mistral: 'mistral',
  xai: 'xai',
  deepseek: 'deepseek',
  groq: 'groq',
  together: 'together',
  fireworks: 'fireworks',
  openrouter: 'openrouter',
  azure: 'azure',
  bedrock: 'amazon-bedrock',
  vertex: 'google-vertex',
}

const rates = {
  input: z.number(),
  output: z.number(),
  cacheRead: z.number().default(0),
  cacheWrite: z.number().default(0),
}
const tier = z.object({ inputTokensAbove: z.number(), ...rates })
const cost = z.object({ ...rates, tiers: z.array(tier).default([]) })
const chat = z.object({
  id: z.string(),
  name: z.string(),
  input: z.array(z.string()),
  contextWindow: z.int().positive(),
  maxTokens: z.int().default(0),
  reasoning: z.boolean().default(false),
  thinkingLevelMap: z.record(z.string(), z.string().nullable()).default({}),
  cost: cost.optional(),
})
type Chat = z.infer<typeof chat>

const isChat = z.object({
  type: z.literal('chat'),
  input: z.array(z.string()).refine((kinds) => kinds.includes('text')),
})
/** By wire format, then by kind and id. */
const sourceFile = z.record(z.string(), z.record(z.string(), z.unknown()))

/** Throws if the file has another format. */
export function toCatalogue(provider: string, file: unknown): KnownModels {
  const listed = Object.values(sourceFile.parse(file)).flatMap((models) => Object.values(models))
  const chats = listed.filter((model) => isChat.safeParse(model).success).map((model) => chat.parse(model))
  const entries = chats.map((model) => [model.id, withCorrection(model.id, toModel(provider, model))] as const)
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)))
}

/**
 * What a provider's own page says where the source says otherwise. Checked in November 2026 at
 * https://platform.claude.com/docs/en/models/sonnet-5-5/overview: cached input costs a tenth.
 */
function withCorrection(id: string, model: KnownModel): KnownModel {
  if (!/claude-sonnet-5[-.]5/.test(id) || !model.price) return model
  return { ...model, price: { ...model.price, cachedInput: Math.round(model.price.input * 100) / 1000 } }
}

function toModel(provider: string, model: Chat): KnownModel {
  const thinking = thinkingLevels(model)
  const price = toPrice(model.cost)
  return {
    name: model.name,
    window: /^(?:openai|azure)$/.test(provider) ? openaiInput(model) : model.contextWindow,
    ...(model.maxTokens > 0 && { maxOutput: model.maxTokens }),
    ...(model.input.includes('image') && { images: true }),
    ...(thinking.length > 0 && { thinking }),
    ...(price && { price }),
  }
}

/** Output that OpenAI's models reserve inside their context. */
const OPENAI_OUTPUT = 128_000
/** All that its long models take, input and output together. */
const OPENAI_LONG_CONTEXT = 1_050_000

/**
 * The source gives OpenAI's context with its output, or, where longer input costs more, up to that step only. A window is how much
 * input a model takes.
 */
function openaiInput({ contextWindow, maxTokens, cost: listed }: Chat): number {
  const isLong = (listed?.tiers ?? []).some(({ inputTokensAbove }) => inputTokensAbove >= contextWindow)
  const context = isLong ? OPENAI_LONG_CONTEXT : contextWindow
  return maxTokens >= OPENAI_OUTPUT ? context - OPENAI_OUTPUT : context
}

/** Our words for how hard it may think. */
function thinkingLevels({ reasoning, thinkingLevelMap }: Chat): readonly string[] {
  if (!reasoning) return []
  const isOffered = (level: string): boolean =>
    typeof thinkingLevelMap[level] === 'string' ||
    (thinkingLevelMap[level] === undefined && !/^(?:xhigh|max)$/.test(level))
  const levels = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'].filter(isOffered)
  return thinkingLevelMap['off'] === null ? levels : ['none', ...levels]
}

/** Nothing for what costs nothing: a list price of zero is a model that somebody else pays for, or a missing figure. */
function toPrice(listed: Chat['cost']): KnownModel['price'] {
  if (!listed || !(listed.input > 0)) return undefined
  const [step, ...others] = listed.tiers
  // Usage holds one price step. A list with more of them is left out: no price is better than a wrong one.
  if (others.length > 0) return undefined
  return { ...toRates(listed), ...(step && { long: { above: step.inputTokensAbove, ...toRates(step) } }) }
}

function toRates({ input, output, cacheRead, cacheWrite }: z.infer<typeof tier> | z.infer<typeof cost>) {
  return { input, output, ...(cacheRead > 0 && { cachedInput: cacheRead }), ...(cacheWrite > 0 && { cacheWrite }) }
}

/** A line for each model that came, went or changed. */
export function describeChanges(before: KnownModels, after: KnownModels): readonly string[] {
  const ids = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return ids.flatMap((id) => {
    if (!before[id]) return [`+ ${id}`]
    if (!after[id]) return [`- ${id}`]
    const [was, is] = [JSON.stringify(before[id]), JSON.stringify(after[id])]
    return was === is ? [] : [`~ ${id}: ${was} -> ${is}`]
  })
}
