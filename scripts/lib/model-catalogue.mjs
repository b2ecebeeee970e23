// Turns the source's list of one provider's models into ours. Only models that hold a conversation are kept.

/**
 * @typedef {{ input: number, output: number, cachedInput?: number, cacheWrite?: number }} Rates
 * @typedef {{ name: string, window: number, maxOutput?: number, images?: true, thinking?: string[],
 *   price?: Rates & { long?: Rates & { above: number } } }} CatalogueModel
 */

/**
 * What a provider's own page says where the source says otherwise. Checked in November 2026 at
 * https://platform.claude.com/docs/en/models/sonnet-5-5/overview: cached input costs a tenth.
 * @param {string} id
 * @param {CatalogueModel} model
 * @returns {CatalogueModel}
 */
function withCorrection(id, model) {
  if (!/claude-sonnet-5[-.]5/.test(id) || !model.price) return model
  return { ...model, price: { ...model.price, cachedInput: Math.round(model.price.input * 100) / 1000 } }
}

/** Output that OpenAI's models reserve inside their context. */
const OPENAI_OUTPUT = 128_000
/** All that its long models take, input and output together. */
const OPENAI_LONG_CONTEXT = 1_050_000

/**
 * @param {string} provider
 * @param {Record<string, Record<string, any>>} source by wire format, then by kind and id
 * @returns {Record<string, CatalogueModel>}
 */
export function toCatalogue(provider, source) {
  const found = Object.values(source).flatMap((models) => Object.values(models))
  const chats = found.filter((model) => model['type'] === 'chat' && model['input']?.includes('text'))
  const entries = chats.map((model) => {
    const id = String(model['id'])
    return /** @type {const} */ ([id, withCorrection(id, toModel(provider, model))])
  })
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)))
}

/**
 * @param {string} provider
 * @param {Record<string, any>} model
 * @returns {CatalogueModel}
 */
function toModel(provider, model) {
  const thinking = thinkingLevels(model)
  const price = toPrice(model['cost'])
  return {
    name: String(model['name']),
    window: /^(?:openai|azure)$/.test(provider) ? openaiInput(model) : Number(model['contextWindow']),
    ...(model['maxTokens'] > 0 && { maxOutput: Number(model['maxTokens']) }),
    ...(model['input'].includes('image') && { images: /** @type {const} */ (true) }),
    ...(thinking.length > 0 && { thinking }),
    ...(price && { price }),
  }
}

/**
 * The source gives OpenAI's context with its output, or, where longer input costs more, up to that step only. A window is
 * how much input a model takes.
 * @param {Record<string, any>} model
 * @returns {number}
 */
function openaiInput({ contextWindow, maxTokens, cost }) {
  const isLong = (cost?.tiers ?? []).some((/** @type {any} */ tier) => tier.inputTokensAbove >= contextWindow)
  const context = isLong ? OPENAI_LONG_CONTEXT : Number(contextWindow)
  return maxTokens >= OPENAI_OUTPUT ? context - OPENAI_OUTPUT : context
}

/**
 * @param {Record<string, any>} model
 * @returns {string[]} our words for how hard it may think
 */
function thinkingLevels({ reasoning, thinkingLevelMap = {} }) {
  if (reasoning !== true) return []
  const isOffered = (/** @type {string} */ level) =>
    typeof thinkingLevelMap[level] === 'string' ||
    (thinkingLevelMap[level] === undefined && !/^(?:xhigh|max)$/.test(level))
  const levels = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'].filter(isOffered)
  return thinkingLevelMap['off'] === null ? levels : ['none', ...levels]
}

/**
 * Nothing for what costs nothing: a list price of zero is a model that somebody else pays for, or a missing figure.
 * @param {Record<string, any> | undefined} cost
 * @returns {CatalogueModel['price']}
 */
function toPrice(cost) {
  if (!cost || !(cost['input'] > 0)) return undefined
  const [tier, ...others] = cost['tiers'] ?? []
  // Usage holds one price step. A list with more of them is left out: no price is better than a wrong one.
  if (others.length > 0) return undefined
  return { ...toRates(cost), ...(tier && { long: { above: tier.inputTokensAbove, ...toRates(tier) } }) }
}

/**
 * @param {Record<string, any>} cost
 * @returns {Rates}
 */
function toRates({ input, output, cacheRead, cacheWrite }) {
  return { input, output, ...(cacheRead > 0 && { cachedInput: cacheRead }), ...(cacheWrite > 0 && { cacheWrite }) }
}

/**
 * @param {Record<string, CatalogueModel>} before
 * @param {Record<string, CatalogueModel>} after
 * @returns {string[]} a line for each model that came, went or changed
 */
export function describeChanges(before, after) {
  const ids = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return ids.flatMap((id) => {
    if (!before[id]) return [`+ ${id}`]
    if (!after[id]) return [`- ${id}`]
    const [was, is] = [JSON.stringify(before[id]), JSON.stringify(after[id])]
    return was === is ? [] : [`~ ${id}: ${was} -> ${is}`]
  })
}
