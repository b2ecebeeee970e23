import type { Usage } from '../content.ts'

import type { EntryId, LoopId, SessionId, TurnId, UserId } from '../ids.ts'

/** One model call and everything that it is attributed to. Stored by the append that records the end of the call. */
export interface UsageRow {
  /** The id of the step or the compaction. */
  readonly callId: EntryId
  readonly kind: 'step' | 'compaction'
  readonly userId: UserId
  readonly keyId?: string
  /** Absent for a compaction of an idle session. */
  readonly turnId?: TurnId
  /** The loop that made the call, then its ancestors up to the agent's own loop. */
  readonly loops: readonly [LoopId, ...LoopId[]]
  readonly agent: string
  readonly model: string
  /** Absent: the call was cut off before the provider reported usage. */
  readonly usage?: Usage
}

/**
 * Sums over model calls. Only `EventStore.append` writes them, so a crash neither loses a call nor counts it twice.
 * When a session is deleted, its usage is kept without the session id.
 */
export interface UsageStore {
  /** Groups are ordered by their newest call, newest first. */
  sumUsage(query: UsageQuery): Promise<readonly UsageSum[]>
  /** The usage of a key since `fromDay` (days since 1970-01-01 in UTC). Contract: cheap for any number of calls. */
  spentWithKey(keyId: string, fromDay: number): Promise<Spending>
}

export type UsageGrouping = 'user' | 'key' | 'session' | 'turn' | 'loop' | 'call' | 'agent' | 'model' | 'kind' | 'day'

export interface UsageQuery {
  readonly by: readonly UsageGrouping[]
  readonly userId?: UserId
  readonly keyId?: string
  readonly sessionId?: SessionId
  readonly turnId?: TurnId
  /** Epoch milliseconds, `from` inclusive, `until` exclusive. */
  readonly from?: number
  readonly until?: number
  readonly limit: number
}

/** One group. Only fields of its grouping are present, and only if its calls have them. */
export interface UsageSum {
  readonly userId?: UserId
  readonly keyId?: string
  /** Absent for deleted sessions. */
  readonly sessionId?: SessionId
  readonly turnId?: TurnId
  readonly loops?: readonly LoopId[]
  readonly callId?: EntryId
  readonly agent?: string
  readonly model?: string
  readonly kind?: UsageRow['kind']
  /** Days since 1970-01-01, in UTC. */
  readonly day?: number
  readonly calls: number
  /** Calls that were cut off before the provider reported usage. */
  readonly untoldCalls: number
  /** Calls with known tokens but an unknown price. */
  readonly unpricedCalls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteTokens: number
  readonly reasoningTokens: number
  /** In billionths of a currency unit, by currency. */
  readonly nano: { readonly [currency: string]: number }
  readonly lastAt: number
}

export const DAY_MS = 86_400_000

/** The sum of some model calls. */
export interface Spending {
  readonly calls: number
  /** Input and output together. */
  readonly tokens: number
  /** In billionths of a currency unit, by currency. */
  readonly nano: { readonly [currency: string]: number }
}
