import type { DatabaseSync } from 'node:sqlite'
import type { MarkStore } from '@polylogue/engine'
import { checksumOfMark, markIn } from '@polylogue/store-rows'
import type { GroupCommit } from './group-commit.ts'

export interface SqliteMarkStoreOptions {
  readonly db: DatabaseSync
  readonly commits: GroupCommit
}

export function createSqliteMarkStore({ db, commits }: SqliteMarkStoreOptions): MarkStore {
  const selectSession = db.prepare('SELECT 1 FROM sessions WHERE session_id = ?')
  const removeFormer = db.prepare('DELETE FROM projection_marks WHERE session_id = ? AND door = ? AND format < ?')
  const insert = db.prepare(
    'INSERT OR IGNORE INTO projection_marks (session_id, door, format, seq, content, crc) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const select = db.prepare(
    'SELECT seq, content, crc FROM projection_marks WHERE session_id = ? AND door = ? AND format = ? ORDER BY seq',
  )
  return {
    async keep(sessionId, { door, format }, marks) {
      // Turns do not wait for a mark.
      await commits.writeLater(() => {
        if (selectSession.get(sessionId) === undefined) return
        removeFormer.run(sessionId, door, format)
        for (const mark of marks) {
          const crc = checksumOfMark(mark, { sessionId, door, format })
          insert.run(sessionId, door, format, mark.seq, mark.content, crc)
        }
      })
    },
    read: (sessionId, { door, format }) =>
      commits.read(() =>
        select.all(sessionId, door, format).flatMap((row) => markIn(row, { sessionId, door, format }) ?? []),
      ),
  }
}
