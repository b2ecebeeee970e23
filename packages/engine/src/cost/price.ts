import type { Cost, Usage } from '../content.ts'

/** The price of a model, in units of `currency` per million tokens. */
export interface Price extends Rates {
  readonly currency: string
  /** The price of a whole call whose input exceeds `above` tokens. */
  readonly long?: Rates & { readonly above: number }
}

export interface Rates {
  readonly input: number
  readonly output: number
  /** For input read from the provider's cache. Default: the price of other input. */
  readonly cachedInput?: number
  /** For input written to the provider's cache. Default: the price of other input. */
  readonly cacheWrite?: number
}

export interface PriceBook {
  /**
   * Looks up `provider/model`. `undefined`: the price is unknown and must not be guessed. Contract: cheap, never
   * throws.
   */
  find(model: string): Price | undefined
}

const TOKENS = 1_000_000
/**
 * Amounts are counted in these parts of a currency unit, so that sums are exact and the price of a single token is not
 * lost.
 */
export const NANO = 1_000_000_000

export function costOf(usage: Usage, price: Price): Cost {
  const { long } = price
  const rates: Rates = long !== undefined && usage.inputTokens > long.above ? long : price
  const { input, output, cachedInput = input, cacheWrite = input } = rates
  const cached = usage.cachedInputTokens ?? 0
  const written = usage.cacheWriteTokens ?? 0
  const plain = Math.max(0, usage.inputTokens - cached - written)
  const money = plain * input + cached * cachedInput + written * cacheWrite + usage.outputTokens * output
  return { nano: Math.round((money * NANO) / TOKENS), currency: price.currency }
}

/** Adds the cost to a usage, if the price is known. */
export function withCost(usage: Usage, model: string, prices: PriceBook | undefined): Usage {
  const price = prices?.find(model)
  return price === undefined ? usage : { ...usage, cost: costOf(usage, price) }
}
