import type { DatabaseSync } from 'node:sqlite'
import { DAY_MS, type AppendRequest } from '@polylogue/engine'
import type { Companion } from './group-commit.ts'

/** Writes the model calls that appends end. The calls of one group change the row of a day once. */
export interface UsageWrites extends Companion {
  /** Runs inside the transaction of the append, as its last write. */
  write(request: AppendRequest): void
}

interface Day {
  /** The columns of the key. */
  readonly key: readonly (string | number)[]
  lastAt: number
  /** The columns that are added up: calls, untold, unpriced, five kinds of tokens, and the price. */
  readonly sums: number[]
}

export function prepareUsageWrites(db: DatabaseSync): UsageWrites {
  const insert = db.prepare(
    `INSERT INTO usage (session_id, call_id, turn_id, loops, is_told, at, kind, user_id, key_id, agent, model,
       input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, reasoning_tokens, nano, currency)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const upsertDay = db.prepare(
    `INSERT INTO usage_days (key_id, day, user_id, agent, model, kind, currency, last_at, calls, untold, unpriced,
       input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, reasoning_tokens, nano)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (key_id, day, user_id, agent, model, kind, currency) DO UPDATE SET
       calls = calls + excluded.calls, untold = untold + excluded.untold, unpriced = unpriced + excluded.unpriced,
       input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens,
       cached_input_tokens = cached_input_tokens + excluded.cached_input_tokens,
       cache_write_tokens = cache_write_tokens + excluded.cache_write_tokens,
       reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens, nano = nano + excluded.nano,
       last_at = max(last_at, excluded.last_at)`,
  )
  const days = new Map<string, Day>()

  const addToDay = (key: Day['key'], at: number, added: readonly number[]): void => {
    const name = JSON.stringify(key)
    const day = days.get(name)
    if (day === undefined) return void days.set(name, { key, lastAt: at, sums: [...added] })
    day.lastAt = Math.max(day.lastAt, at)
    for (let index = 0; index < added.length; index++) {
      day.sums[index] = (day.sums[index] ?? 0) + (added[index] ?? 0)
    }
  }

  return {
    write({ sessionId, at, usage: calls = [] }) {
      for (const { callId, kind, userId, keyId, turnId = null, loops, agent, model, usage } of calls) {
        const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage ?? {}
        const { reasoningTokens = 0, cost } = usage ?? {}
        const tokens = [inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens]
        const isUntold = Number(usage === undefined)
        const isUnpriced = Number(usage !== undefined && cost === undefined)
        const call = [sessionId, callId, turnId, loops.join(' '), 1 - isUntold, at, kind, userId, keyId ?? null]
        insert.run(...call, agent, model, ...tokens, cost?.nano ?? null, cost?.currency ?? null)
        const key = [keyId ?? '', Math.floor(at / DAY_MS), userId, agent, model, kind, cost?.currency ?? '']
        addToDay(key, at, [1, isUntold, isUnpriced, ...tokens, cost?.nano ?? 0])
      }
    },
    completing() {
      for (const { key, lastAt, sums } of days.values()) upsertDay.run(...key, lastAt, ...sums)
      days.clear()
    },
    dropped: () => days.clear(),
  }
}
