import type { Cost, Usage } from '../content.ts'

/** What a model costs, in units of `currency` for a million tokens. */
export interface Price extends Rates {
  readonly currency: string
  /** What holds for a whole call whose input has more than `above` tokens. */
  readonly long?: Rates & { readonly above: number }
}

export interface Rates {
  readonly input: number
  readonly output: number
  /** Of input that the provider had in its cache; as other input unless said. */
  readonly cachedInput?: number
  /** Of input that it puts there; as other input unless said. */
  readonly cacheWrite?: number
}

export interface PriceBook {
  /** By `provider/model`. `undefined`: nobody knows, and then nobody guesses. Contract: cheap, never throws. */
  find(model: string): Price | undefined
}

const TOKENS = 1_000_000
/** Parts of a unit of money that are counted in, so that sums are exact and a single token is not lost. */
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

/** With what it cost, where that is known. */
export function withCost(usage: Usage, model: string, prices: PriceBook | undefined): Usage {
  const price = prices?.find(model)
  return price === undefined ? usage : { ...usage, cost: costOf(usage, price) }
}
