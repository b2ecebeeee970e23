import type { DatabaseSync } from 'node:sqlite'
import { DAY_MS, type AppendRequest } from '@polylogue/engine'

/** Writes the model calls that an append ends, as a part of it. */
export function prepareUsageWrites(db: DatabaseSync): (request: AppendRequest) => void {
  const insert = db.prepare(
    `INSERT INTO usage (session_id, call_id, at, kind, user_id, key_id, turn_id, loops, agent, model, is_told,
       input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, reasoning_tokens, nano, currency)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const upsertDay = db.prepare(
    `INSERT INTO key_days (key_id, day, currency, calls, tokens, nano) VALUES (?, ?, ?, 1, ?, ?)
     ON CONFLICT (key_id, day, currency) DO UPDATE SET
       calls = calls + 1, tokens = tokens + excluded.tokens, nano = nano + excluded.nano`,
  )
  return ({ sessionId, at, usage: calls = [] }) => {
    for (const { callId, kind, userId, keyId = null, turnId = null, loops, agent, model, usage } of calls) {
      const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage ?? {}
      const { reasoningTokens = 0, cost } = usage ?? {}
      insert.run(
        ...[sessionId, callId, at, kind, userId, keyId, turnId, loops.join(' '), agent, model],
        ...[usage === undefined ? 0 : 1, inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens],
        ...[reasoningTokens, cost?.nano ?? null, cost?.currency ?? null],
      )
      if (keyId === null) continue
      const day = Math.floor(at / DAY_MS)
      upsertDay.run(keyId, day, cost?.currency ?? '', inputTokens + outputTokens, cost?.nano ?? 0)
    }
  }
}
