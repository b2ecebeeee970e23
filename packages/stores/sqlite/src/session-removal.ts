import type { DatabaseSync } from 'node:sqlite'
import { StorageFault, type SessionId } from '@polylogue/engine'
import type { GroupCommit } from './group-commit.ts'
import { integerIn, textIn } from '@polylogue/store-rows'

// A commit that removed a session of 200,000 events would hold the event loop for a third of a second.
const EVENTS_A_COMMIT = 1_000
const BLOBS_A_COMMIT = 4

/**
 * The first commit deletes a session for good. The rest of a long one is hidden and removed in small pieces afterwards,
 * also after a restart.
 */
export interface SessionRemoval {
  remove(sessionId: SessionId): Promise<boolean>
  /** Whether the session was deleted and some of its rows may still exist. */
  isHidden(sessionId: SessionId): boolean
  /** Resolves when deleted sessions have no rows left, or when the store is closed or fails. */
  purged(): Promise<void>
}

export interface SessionRemovalDeps {
  readonly db: DatabaseSync
  readonly commits: GroupCommit
  /** Called inside the transaction that deletes the session. */
  removed(sessionId: SessionId, freed: { readonly userId: string; readonly bytes: number }): void
  /** The search index. Its rows are removed separately, because it writes at the end of a commit and may fail it. */
  readonly index: { has(sessionId: string): boolean; forget(sessionId: string): Promise<void> }
}

export function createSessionRemoval({ db, commits, removed, index }: SessionRemovalDeps): SessionRemoval {
  const selectSession = db.prepare('SELECT 1 FROM sessions WHERE session_id = ?')
  const deleteSession = db.prepare('DELETE FROM sessions WHERE session_id = ? RETURNING user_id, stored_bytes')
  const insertDeleted = db.prepare('INSERT INTO deleted_sessions (session_id, is_purged) VALUES (?, 0)')
  const markPurged = db.prepare('UPDATE deleted_sessions SET is_purged = 1 WHERE session_id = ?')
  const deleteSmallRows = ['listings', 'snapshots', 'drafts', 'receipts', 'names', 'secrets', 'projection_marks'].map(
    (table) => db.prepare(`DELETE FROM ${table} WHERE session_id = ?`),
  )
  const deleteEvents = db.prepare(
    `DELETE FROM events WHERE session_id = ?1
     AND seq < ${EVENTS_A_COMMIT} + (SELECT min(seq) FROM events WHERE session_id = ?1)`,
  )
  const deleteBlobs = db.prepare(
    `DELETE FROM blobs WHERE rowid IN (SELECT rowid FROM blobs WHERE session_id = ? LIMIT ${BLOBS_A_COMMIT})`,
  )
  const selectRest = db.prepare(
    `SELECT EXISTS (SELECT 1 FROM events WHERE session_id = ?1) OR EXISTS (SELECT 1 FROM blobs WHERE session_id = ?1)
     AS has_rest`,
  )
  const selectUnpurged = db.prepare('SELECT session_id FROM deleted_sessions WHERE is_purged = 0')

  const underRemoval = new Set<string>()
  let purging = Promise.resolve()

  /** Whether something is left. */
  const removePiece = (sessionId: string): boolean => {
    deleteEvents.run(sessionId)
    deleteBlobs.run(sessionId)
    if (index.has(sessionId) || selectRest.get(sessionId)?.['has_rest'] === 1) return true
    markPurged.run(sessionId)
    return false
  }

  const removeRest = async (sessionId: string): Promise<void> => {
    try {
      await index.forget(sessionId)
      let hasRest = true
      while (hasRest) hasRest = await commits.write('other', () => removePiece(sessionId))
      underRemoval.delete(sessionId)
    } catch (error) {
      // The session stays hidden, and the next process that opens the file continues the removal.
      if (!(error instanceof StorageFault)) throw error
    }
  }

  const removeRestLater = (sessionId: string): void => {
    underRemoval.add(sessionId)
    purging = purging.then(() => removeRest(sessionId))
  }

  for (const row of selectUnpurged.all()) removeRestLater(textIn(row, 'session_id'))

  return {
    async remove(sessionId) {
      // Before the commit, so that no reader sees the session between the commit and the next line.
      underRemoval.add(sessionId)
      const outcome = await commits
        .write('other', () => {
          const deleted = deleteSession.get(sessionId)
          if (deleted === undefined) return 'absent'
          insertDeleted.run(sessionId)
          for (const statement of deleteSmallRows) statement.run(sessionId)
          const outcome = removePiece(sessionId) ? 'begun' : 'removed'
          removed(sessionId, { userId: textIn(deleted, 'user_id'), bytes: integerIn(deleted, 'stored_bytes') })
          return outcome
        })
        .finally(() => underRemoval.delete(sessionId))
      if (outcome === 'begun') removeRestLater(sessionId)
      return outcome !== 'absent'
    },
    isHidden: (sessionId) => underRemoval.has(sessionId) && selectSession.get(sessionId) === undefined,
    purged: () => purging,
  }
}
