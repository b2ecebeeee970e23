import type { Usage } from '../content.ts'

import type { EntryId, LoopId, SessionId, TurnId, UserId } from '../ids.ts'

/** One model call and all who answer for it. Stored by the append that records the end of the call. */
export interface UsageRow {
  /** The step, or the compaction. */
  readonly callId: EntryId
  readonly kind: 'step' | 'compaction'
  readonly userId: UserId
  readonly keyId?: string
  /** Absent: a compaction of an idle session. */
  readonly turnId?: TurnId
  /** The loop that made the call, then those above it up to the agent's own. */
  readonly loops: readonly [LoopId, ...LoopId[]]
  readonly agent: string
  readonly model: string
  /** Absent: it was cut off before the provider said anything. */
  readonly usage?: Usage
}

/**
 * What model calls came to, added up. Written by `EventStore.append` only, so that a crash counts nothing twice and
 * loses nothing. What was spent in a session stays spent when the session is deleted, but its name is gone.
 */
export interface UsageStore {
  /** The groups with the newest call first. */
  sumUsage(query: UsageQuery): Promise<readonly UsageSum[]>
  /** With this key from the day `fromDay` on, counted from 1970-01-01 in UTC. Contract: cheap, whatever the number of calls. */
  spentWithKey(keyId: string, fromDay: number): Promise<Spending>
}

export type UsageGrouping = 'user' | 'key' | 'session' | 'turn' | 'loop' | 'call' | 'agent' | 'model' | 'kind' | 'day'

export interface UsageQuery {
  readonly by: readonly UsageGrouping[]
  readonly userId?: UserId
  readonly keyId?: string
  readonly sessionId?: SessionId
  readonly turnId?: TurnId
  /** Epoch milliseconds: `from` counts, `until` does not. */
  readonly from?: number
  readonly until?: number
  readonly limit: number
}

/** One group. Of the names, those that it was grouped by; one that its calls do not have is absent. */
export interface UsageSum {
  readonly userId?: UserId
  readonly keyId?: string
  /** Absent for sessions that were deleted. */
  readonly sessionId?: SessionId
  readonly turnId?: TurnId
  readonly loops?: readonly LoopId[]
  readonly callId?: EntryId
  readonly agent?: string
  readonly model?: string
  readonly kind?: UsageRow['kind']
  /** Counted from 1970-01-01, in UTC. */
  readonly day?: number
  readonly calls: number
  /** Of these calls: cut off before the provider said what they took. */
  readonly untoldCalls: number
  /** Of these calls: the provider told tokens, but nobody knows their price. */
  readonly unpricedCalls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteTokens: number
  readonly reasoningTokens: number
  /** In billionths of a unit, by currency. */
  readonly nano: { readonly [currency: string]: number }
  readonly lastAt: number
}

export const DAY_MS = 86_400_000

/** What model calls came to. */
export interface Spending {
  readonly calls: number
  /** In and out together. */
  readonly tokens: number
  /** In billionths of a unit, by currency. */
  readonly nano: { readonly [currency: string]: number }
}
