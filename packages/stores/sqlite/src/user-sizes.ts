import type { DatabaseSync } from 'node:sqlite'
import { integerIn } from '@polylogue/store-rows'
import type { Companion } from './group-commit.ts'

/** The bytes that each user stores. The appends of one group change the row of a user once. */
export interface UserSizes extends Companion {
  /** Includes what the current transaction has added so far. */
  of(userId: string): number
  /** Call this last in a write: a write that throws afterwards would have counted already. */
  add(userId: string, bytes: number): void
}

export function createUserSizes(db: DatabaseSync): UserSizes {
  const select = db.prepare('SELECT stored_bytes FROM user_sizes WHERE user_id = ?')
  const upsert = db.prepare(
    `INSERT INTO user_sizes (user_id, stored_bytes) VALUES (?1, max(0, ?2))
     ON CONFLICT (user_id) DO UPDATE SET stored_bytes = max(0, stored_bytes + ?2)`,
  )
  /** As read in the current transaction. */
  const stored = new Map<string, number>()
  const added = new Map<string, number>()
  const dropped = (): void => {
    stored.clear()
    added.clear()
  }
  const read = (userId: string): number => {
    const row = select.get(userId)
    const bytes = row === undefined ? 0 : integerIn(row, 'stored_bytes')
    stored.set(userId, bytes)
    return bytes
  }
  return {
    of: (userId) => (stored.get(userId) ?? read(userId)) + (added.get(userId) ?? 0),
    add: (userId, bytes) => void added.set(userId, (added.get(userId) ?? 0) + bytes),
    completing() {
      for (const [userId, bytes] of added) if (bytes !== 0) upsert.run(userId, bytes)
      dropped()
    },
    dropped,
  }
}
