import type { Price, PriceBook } from '@polylogue/engine'
import { findListPrice, type Environment, type ProviderConfigs } from '@polylogue/models'
import type { PriceSettings } from './cost-schema.ts'

export interface PriceBookParts {
  readonly prices: PriceSettings
  readonly providers: ProviderConfigs
  readonly env: Environment
}

/** Sessions may name any model, so the cache is bounded. */
const MOST_REMEMBERED = 1_000

/** Prices of the operator come before list prices of providers. */
export function createPriceBook({ prices, providers, env }: PriceBookParts): PriceBook {
  const own = Object.entries(prices).map(([pattern, price]) => ({ fits: toTest(pattern), price }))
  const known = new Map<string, Price | undefined>()
  return {
    find(model) {
      if (known.has(model)) return known.get(model)
      if (known.size >= MOST_REMEMBERED) known.clear()
      const price = own.find(({ fits }) => fits(model))?.price ?? findListPrice(model, { providers, env })
      known.set(model, price)
      return price
    },
  }
}

function toTest(pattern: string): (model: string) => boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`))
  const test = new RegExp(`^${parts.join('.*')}$`, 'i')
  return (model) => test.test(model)
}
