import type { LoopId } from '../ids.ts'
import type { UsageSum } from '../ports/usage-store.ts'

type Amounts = Omit<UsageSum, 'loops'>

/** A loop, and its usage including all loops below it. */
export interface TreeSum {
  readonly loopId: LoopId
  readonly parentLoopId?: LoopId
  readonly own: UsageSum
  readonly withChildren: Amounts
}

/**
 * Adds up the usage of one turn by loop. A loop without own calls has no line; its children count for its ancestors.
 */
export function addUpTrees(sums: readonly UsageSum[]): readonly TreeSum[] {
  return sums.flatMap((own) => {
    const [loopId, parentLoopId] = own.loops ?? []
    if (loopId === undefined) return []
    const below = sums.filter((other) => other !== own && other.loops?.includes(loopId) === true)
    return [{ loopId, ...(parentLoopId && { parentLoopId }), own, withChildren: below.reduce<Amounts>(addSums, own) }]
  })
}

/** Adds amounts. Other fields come from `one`. */
export function addSums<S extends Amounts>(one: S, other: Amounts): S {
  const nano = { ...one.nano }
  for (const [currency, amount] of Object.entries(other.nano)) nano[currency] = (nano[currency] ?? 0) + amount
  return {
    ...one,
    calls: one.calls + other.calls,
    untoldCalls: one.untoldCalls + other.untoldCalls,
    unpricedCalls: one.unpricedCalls + other.unpricedCalls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    nano,
    lastAt: Math.max(one.lastAt, other.lastAt),
  }
}
