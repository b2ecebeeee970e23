import type { Budgets, Price } from '@polylogue/engine'
import { z } from 'zod'

/** Prices by a pattern of `provider/model`. The first match applies. */
export type PriceSettings = { readonly [pattern: string]: Price }

export interface BudgetSettings extends Budgets {
  /** The currency of all budgets. */
  readonly currency: string
  /** Budgets of single API keys by id. They replace `key`. */
  readonly keys: { readonly [keyId: string]: NonNullable<Budgets['key']> }
}

const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, 'must be three capital letters such as USD')
  .default('USD')
const perMillion = z.number().min(0).max(1_000_000)
const rates = {
  input: perMillion,
  output: perMillion,
  cachedInput: perMillion.optional(),
  cacheWrite: perMillion.optional(),
}

const price = z.strictObject({
  ...rates,
  currency,
  long: z.strictObject({ above: z.int().min(1), ...rates }).optional(),
})

export const pricesSchema = z.record(z.string(), price).superRefine((prices, context) => {
  for (const pattern of Object.keys(prices)) {
    if (/^[^\s/]+\/\S+$/.test(pattern)) continue
    const message = 'must be provider/model, in which * stands for anything'
    context.addIssue({ code: 'custom', path: [pattern], message })
  }
}) satisfies z.ZodType<PriceSettings>

const budget = {
  tokens: z.int().min(1).optional(),
  money: z.number().positive().max(1_000_000).optional(),
  steps: z.int().min(1).optional(),
  whenSpent: z.enum(['ask', 'stop']).optional(),
}
const keyBudget = z.strictObject({ ...budget, per: z.enum(['day', 'month']).default('day') })
const ofAgent = {
  turn: z.strictObject({ ...budget, wallTimeMs: z.int().min(1000).optional() }).optional(),
  session: z.strictObject(budget).optional(),
}

/** Budgets of an agent. They replace those of the server. */
export const agentBudgetsSchema = z.strictObject(ofAgent) satisfies z.ZodType<Pick<Budgets, 'turn' | 'session'>>

export const budgetsSchema = z.strictObject({
  currency,
  ...ofAgent,
  key: keyBudget.optional(),
  keys: z.record(z.string().min(1).max(128), keyBudget).default({}),
}) satisfies z.ZodType<BudgetSettings>
