import type { Spending } from '../ports/usage-store.ts'
import type { Usage } from '../content.ts'

export const NOTHING_SPENT: Spending = { calls: 0, tokens: 0, nano: {} }

export function addCall(spent: Spending, usage: Usage | undefined): Spending {
  const tokens = usage === undefined ? 0 : usage.inputTokens + usage.outputTokens
  const cost = usage?.cost
  return {
    calls: spent.calls + 1,
    tokens: spent.tokens + tokens,
    nano:
      cost === undefined
        ? spent.nano
        : { ...spent.nano, [cost.currency]: (spent.nano[cost.currency] ?? 0) + cost.nano },
  }
}
