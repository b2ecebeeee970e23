import { z } from 'zod'
import type { Stored } from '../stored-schema.ts'

/** A budget that is used up. Money is in billionths of a currency unit. */
export const spentBudget = z.object({
  scope: z.enum(['turn', 'session', 'key']),
  measure: z.enum(['tokens', 'money', 'steps', 'wallTimeMs']),
  used: z.number(),
  limit: z.number(),
  currency: z.string().optional(),
  per: z.enum(['day', 'month']).optional(),
})

export type SpentBudget = Stored<typeof spentBudget>
