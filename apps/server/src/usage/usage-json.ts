import { DAY_MS, NANO, asSessionId, asTurnId, asUserId, type UsageGrouping, type UsageSum } from '@polylogue/engine'
import { z } from 'zod'

const GROUPINGS = {
  user: 'user',
  key: 'key',
  session: 'session',
  turn: 'turn',
  'sub-agent': 'loop',
  step: 'call',
  agent: 'agent',
  model: 'model',
  kind: 'kind',
  day: 'day',
} as const satisfies Readonly<Record<string, UsageGrouping>>

type GroupingName = keyof typeof GROUPINGS
const names = Object.keys(GROUPINGS) as GroupingName[]

const name = z.string().min(1).max(200)
/** Epoch milliseconds, or a date such as `2026-11-01`, whose day begins in UTC. */
const time = z
  .string()
  .max(40)
  .transform((text) => (/^\d{10,15}$/.test(text) ? Number(text) : Date.parse(text)))
  .refine((at) => Number.isFinite(at), 'must be a date such as 2026-11-01')

/** What is asked of `GET /api/polylogue/usage`. */
export const usageQuery = z.strictObject({
  by: z
    .string()
    .default('model')
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(z.enum(names, `must be some of ${names.join(', ')}`)).max(4))
    .transform((by): UsageGrouping[] => by.map((grouping) => GROUPINGS[grouping])),
  user: name.transform(asUserId).optional(),
  key: name.optional(),
  session: name.transform(asSessionId).optional(),
  turn: name.transform(asTurnId).optional(),
  from: time.optional(),
  until: time.optional(),
  limit: z.coerce.number().int().min(1).max(10_000).default(1000),
})

export function toUsageJson(sum: UsageSum) {
  const { userId, keyId, sessionId, turnId, loops, callId, agent, model, kind, day } = sum
  return {
    user: userId,
    key: keyId,
    session: sessionId,
    turn: turnId,
    subAgents: loops,
    step: callId,
    agent,
    model,
    kind,
    day: day === undefined ? undefined : new Date(day * DAY_MS).toISOString().slice(0, 10),
    ...toAmounts(sum),
  }
}

export function toAmounts(sum: UsageSum) {
  const { calls, untoldCalls, unpricedCalls, inputTokens, outputTokens, nano } = sum
  const { cachedInputTokens, cacheWriteTokens, reasoningTokens, lastAt } = sum
  return {
    calls,
    untoldCalls,
    unpricedCalls,
    inputTokens,
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens,
    reasoningTokens,
    cost: Object.fromEntries(Object.entries(nano).map(([currency, amount]) => [currency, amount / NANO])),
    lastAt,
  }
}
