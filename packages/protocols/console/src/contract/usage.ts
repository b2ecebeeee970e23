import { z } from 'zod'
import { count, queryNumber, time } from './fields.ts'
import { defineOperations, type Sent } from './operation.ts'

export const USAGE_GROUPINGS = [
  'model',
  'day',
  'session',
  'turn',
  'sub-agent',
  'step',
  'agent',
  'key',
  'user',
  'kind',
] as const
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number]

const amounts = z
  .object({
    calls: count,
    /** Calls that were cut off before the provider reported their tokens. */
    untoldCalls: count,
    /** Calls whose model has no known price. */
    unpricedCalls: count,
    inputTokens: count,
    cachedInputTokens: count,
    cacheWriteTokens: count,
    outputTokens: count,
    reasoningTokens: count,
    /** By currency. */
    cost: z.record(z.string(), z.number()),
    lastAt: time,
  })
  .meta({ id: 'ConsoleUsageAmounts' })
export type UsageAmounts = Sent<z.infer<typeof amounts>>

const name = z.string().optional()

const usageRow = z.object({
  user: name,
  key: name,
  session: name,
  turn: name,
  /** The sub-agent and those above it. */
  subAgents: z.array(z.string()).optional(),
  step: name,
  agent: name,
  model: name,
  kind: name,
  /** Such as `2026-11-01`, in UTC. */
  day: name,
  ...amounts.shape,
  withSubAgents: amounts.optional(),
})
export type UsageRow = Sent<z.infer<typeof usageRow>>

export const usageReport = z.object({ rows: z.array(usageRow), total: amounts.optional() })
export type UsageReport = Sent<z.infer<typeof usageReport>>

const filter = z.string().min(1).max(200)
/** Epoch milliseconds, or a date such as `2026-11-01`, whose day begins in UTC. */
const moment = z
  .string()
  .max(40)
  .transform((text) => (/^\d{10,15}$/.test(text) ? Number(text) : Date.parse(text)))
  .refine((at) => Number.isFinite(at), 'must be a date such as 2026-11-01')

export const usageOperations = defineOperations({
  readUsage: {
    method: 'GET',
    path: '/usage',
    tag: 'usage',
    summary: 'Sum up tokens and cost of your model calls; over the owner socket, those of all users.',
    status: 200,
    isLarge: true,
    query: z.strictObject({
      /** Up to four groupings, with commas between them. */
      by: z
        .string()
        .default('model')
        .transform((text) => text.split(',').map((part) => part.trim()))
        .pipe(z.array(z.enum(USAGE_GROUPINGS, `must be some of ${USAGE_GROUPINGS.join(', ')}`)).max(4)),
      user: filter.optional(),
      key: filter.optional(),
      session: filter.optional(),
      turn: filter.optional(),
      from: moment.optional(),
      until: moment.optional(),
      limit: queryNumber().int().min(1).max(10_000).default(1000),
    }),
    answer: usageReport,
  },
})
