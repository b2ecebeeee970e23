import type { DatabaseSync } from 'node:sqlite'
import type { Draft } from '@polylogue/engine'
import type { Companion } from './group-commit.ts'

/** Writes drafts. Remembers which sessions have none, because most steps end before their first draft. */
export interface DraftRows extends Companion {
  save(sessionId: string, drafts: readonly Draft[]): void
  clear(sessionId: string, stepIds: readonly string[]): void
}

const MOST_KNOWN = 10_000

export function prepareDraftRows(db: DatabaseSync): DraftRows {
  const upsert = db.prepare(
    `INSERT INTO drafts (session_id, step_id, block, kind, text, reserved_batches) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (session_id, step_id, block) DO UPDATE SET kind = excluded.kind, text = excluded.text,
       reserved_batches = excluded.reserved_batches`,
  )
  const remove = db.prepare('DELETE FROM drafts WHERE session_id = ? AND step_id = ?')
  const selectAny = db.prepare('SELECT 1 FROM drafts WHERE session_id = ? LIMIT 1')
  const without = new Set<string>()
  return {
    dropped: () => without.clear(),
    save(sessionId, drafts) {
      without.delete(sessionId)
      for (const { stepId, block, kind, text, reservedBatches = null } of drafts)
        upsert.run(sessionId, stepId, block, kind, text, reservedBatches)
    },
    clear(sessionId, stepIds) {
      if (without.has(sessionId)) return
      for (const stepId of stepIds) remove.run(sessionId, stepId)
      if (selectAny.get(sessionId) !== undefined) return
      if (without.size >= MOST_KNOWN) without.clear()
      without.add(sessionId)
    },
  }
}
