import {
  DAY_MS,
  NOTHING_SPENT,
  addCall,
  addSums,
  type AppendRequest,
  type SessionId,
  type UsageGrouping,
  type UsageQuery,
  type UsageRow,
  type UsageStore,
  type UsageSum,
} from '@polylogue/engine'

interface StoredCall extends UsageRow {
  readonly sessionId: SessionId
  readonly at: number
}

export interface MemoryUsageStore extends UsageStore {
  /** Adds the calls of a stored append. */
  keep(request: AppendRequest): void
}

/** A usage store in memory. `isThere`: whether a session still exists. */
export function createMemoryUsageStore(isThere: (sessionId: SessionId) => boolean): MemoryUsageStore {
  const calls: StoredCall[] = []
  return {
    keep({ sessionId, at, usage = [] }) {
      for (const row of usage) calls.push({ ...row, sessionId, at })
    },
    async sumUsage(query) {
      const groups = new Map<string, UsageSum>()
      for (const call of calls.filter((candidate) => isAsked(candidate, query, isThere))) {
        const names = namesOf(call, query.by, isThere(call.sessionId))
        const name = JSON.stringify(names)
        const before = groups.get(name)
        groups.set(name, before === undefined ? { ...names, ...sumOf(call) } : addSums(before, sumOf(call)))
      }
      const sums = [...groups.values()].sort((one, other) => other.lastAt - one.lastAt)
      return sums.slice(0, Math.max(0, query.limit))
    },
    async spentWithKey(keyId, fromDay) {
      const own = calls.filter((call) => call.keyId === keyId && Math.floor(call.at / DAY_MS) >= fromDay)
      return own.reduce((spent, { usage }) => addCall(spent, usage), NOTHING_SPENT)
    },
  }
}

function isAsked(call: StoredCall, query: UsageQuery, isThere: (sessionId: SessionId) => boolean): boolean {
  const { userId, keyId, sessionId, turnId, from = -Infinity, until = Infinity } = query
  const isNamed = sessionId !== undefined || turnId !== undefined
  return (
    (userId === undefined || call.userId === userId) &&
    (keyId === undefined || call.keyId === keyId) &&
    (sessionId === undefined || call.sessionId === sessionId) &&
    (turnId === undefined || call.turnId === turnId) &&
    (!isNamed || isThere(call.sessionId)) &&
    call.at >= from &&
    call.at < until
  )
}

function namesOf(call: StoredCall, by: readonly UsageGrouping[], isThere: boolean): Partial<UsageSum> {
  const { userId, keyId, sessionId, turnId, loops, callId, agent, model, kind, at } = call
  const names: Record<UsageGrouping, Partial<UsageSum>> = {
    user: { userId },
    key: keyId === undefined ? {} : { keyId },
    session: isThere ? { sessionId } : {},
    turn: isThere && turnId !== undefined ? { turnId } : {},
    loop: isThere ? { loops } : {},
    call: isThere ? { callId } : {},
    agent: { agent },
    model: { model },
    kind: { kind },
    day: { day: Math.floor(at / DAY_MS) },
  }
  return Object.assign({}, ...by.map((grouping) => names[grouping])) as Partial<UsageSum>
}

function sumOf({ usage, at }: StoredCall): UsageSum {
  const cost = usage?.cost
  return {
    calls: 1,
    untoldCalls: usage === undefined ? 1 : 0,
    unpricedCalls: usage !== undefined && cost === undefined ? 1 : 0,
    inputTokens: usage?.inputTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    cachedInputTokens: usage?.cachedInputTokens ?? 0,
    cacheWriteTokens: usage?.cacheWriteTokens ?? 0,
    reasoningTokens: usage?.reasoningTokens ?? 0,
    nano: cost === undefined ? {} : { [cost.currency]: cost.nano },
    lastAt: at,
  }
}
