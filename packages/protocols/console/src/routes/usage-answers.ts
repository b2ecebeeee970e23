import {
  DAY_MS,
  NANO,
  addUpTrees,
  asSessionId,
  asTurnId,
  asUserId,
  type UsageGrouping as EngineGrouping,
  type UsageQuery,
  type UsageSum,
} from '@polylogue/engine'
import type { UsageAmounts, UsageGrouping, UsageRow, usageOperations } from '../contract/usage.ts'
import type { Answers } from './answer-operations.ts'
import type { ConsoleDeps } from './deps.ts'

const GROUPINGS: { readonly [name in UsageGrouping]: EngineGrouping } = {
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
}

/** Users see what they spent; whoever reaches the owner socket sees what all users spent. */
export function answerUsage({ usage }: Pick<ConsoleDeps, 'usage'>): Answers<typeof usageOperations> {
  return {
    async readUsage({ caller: { via, userId }, query }) {
      const { user, key, session, turn, from, until, limit } = query
      const by = query.by.map((name) => GROUPINGS[name])
      const owner = via !== 'owner-socket' ? userId : user === undefined ? undefined : asUserId(user)
      const asked: Omit<UsageQuery, 'by' | 'limit'> = {
        ...(owner !== undefined && { userId: owner }),
        ...(key !== undefined && { keyId: key }),
        ...(session !== undefined && { sessionId: asSessionId(session) }),
        ...(turn !== undefined && { turnId: asTurnId(turn) }),
        ...(from !== undefined && { from }),
        ...(until !== undefined && { until }),
      }
      const sums = await usage.sumUsage({ ...asked, by, limit })
      const [total] = await usage.sumUsage({ ...asked, by: [], limit: 1 })
      const trees = new Map(by.join() === 'loop' ? addUpTrees(sums).map((tree) => [tree.own, tree.withChildren]) : [])
      return {
        rows: sums.map((sum) => {
          const tree = trees.get(sum)
          return { ...toRowJson(sum), ...(tree && { withSubAgents: toAmountsJson(tree) }) }
        }),
        ...(total && { total: toAmountsJson(total) }),
      }
    },
  }
}

function toRowJson(sum: UsageSum): UsageRow {
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
    ...toAmountsJson(sum),
  }
}

function toAmountsJson(sum: UsageSum): UsageAmounts {
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
