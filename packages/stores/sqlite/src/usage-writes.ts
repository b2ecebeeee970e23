import type { DatabaseSync } from 'node:sqlite'
import { DAY_MS, type AppendRequest } from '@polylogue/engine'

/** Writes the model calls that an append ends, inside its transaction. */
export function prepareUsageWrites(db: DatabaseSync): (request: AppendRequest) => void {
  const insert = db.prepare(
    `INSERT INTO usage (session_id, call_id, turn_id, loops, is_told, at, kind, user_id, key_id, agent, model,
       input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, reasoning_tokens, nano, currency)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const upsertDay = db.prepare(
    `INSERT INTO usage_days (key_id, day, user_id, agent, model, kind, currency, untold, unpriced, last_at,
       input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, reasoning_tokens, nano, calls)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)
     ON CONFLICT (key_id, day, user_id, agent, model, kind, currency) DO UPDATE SET
       calls = calls + 1, untold = untold + excluded.untold, unpriced = unpriced + excluded.unpriced,
       input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens,
       cached_input_tokens = cached_input_tokens + excluded.cached_input_tokens,
       cache_write_tokens = cache_write_tokens + excluded.cache_write_tokens,
       reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens, nano = nano + excluded.nano,
       last_at = max(last_at, excluded.last_at)`,
  )
  return ({ sessionId, at, usage: calls = [] }) => {
    for (const { callId, kind, userId, keyId, turnId = null, loops, agent, model, usage } of calls) {
      const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage ?? {}
      const { reasoningTokens = 0, cost } = usage ?? {}
      const tokens = [inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens]
      const isUntold = Number(usage === undefined)
      const isUnpriced = Number(usage !== undefined && cost === undefined)
      insert.run(
        ...[sessionId, callId, turnId, loops.join(' '), 1 - isUntold, at, kind, userId, keyId ?? null, agent, model],
        ...[...tokens, cost?.nano ?? null, cost?.currency ?? null],
      )
      const day = Math.floor(at / DAY_MS)
      upsertDay.run(
        ...[keyId ?? '', day, userId, agent, model, kind, cost?.currency ?? '', isUntold, isUnpriced, at],
        ...[...tokens, cost?.nano ?? 0],
      )
    }
  }
}
