import { z } from 'zod'

const amounts = {
  calls: z.number(),
  untoldCalls: z.number(),
  unpricedCalls: z.number(),
  inputTokens: z.number(),
  cachedInputTokens: z.number(),
  cacheWriteTokens: z.number(),
  outputTokens: z.number(),
  reasoningTokens: z.number(),
  cost: z.record(z.string(), z.number()),
  lastAt: z.number(),
}

const name = z.string().optional()

export const usageAnswer = z.object({
  rows: z.array(
    z.object({
      user: name,
      key: name,
      session: name,
      turn: name,
      subAgents: z.array(z.string()).optional(),
      step: name,
      agent: name,
      model: name,
      kind: name,
      day: name,
      ...amounts,
      withSubAgents: z.object(amounts).optional(),
    }),
  ),
  total: z.object(amounts).optional(),
})

export type UsageAnswer = z.output<typeof usageAnswer>
export type UsageLine = UsageAnswer['rows'][number]
export type UsageAmounts = NonNullable<UsageAnswer['total']>
