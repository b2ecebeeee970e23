import type { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { KEPT_LIMITS, type Clock, type KeptEntry, type KeptStore, type UserId } from '@polylogue/engine'
import type { GroupCommit } from './group-commit.ts'
import { type Row, integerIn, textIn } from '@polylogue/store-rows'

export interface SqliteKeptStoreOptions {
  readonly db: DatabaseSync
  readonly clock: Clock
  readonly commits: GroupCommit
}

export function createSqliteKeptStore({ db, clock, commits }: SqliteKeptStoreOptions): KeptStore {
  // REPLACE gives a rewritten entry a new number, so the oldest entries have the smallest numbers.
  const replace = db.prepare(
    'INSERT OR REPLACE INTO kept_sockets (user_id, hash, content, expires_at, crc) VALUES (?, ?, ?, ?, ?)',
  )
  const removeExpired = db.prepare('DELETE FROM kept_sockets WHERE expires_at <= ?')
  const removeOldest = db.prepare(
    `DELETE FROM kept_sockets WHERE entry IN
       (SELECT entry FROM kept_sockets WHERE user_id = ? ORDER BY entry DESC LIMIT -1 OFFSET ${KEPT_LIMITS.perUser})`,
  )
  const take = db.prepare('DELETE FROM kept_sockets WHERE user_id = ? AND hash = ? RETURNING content, expires_at, crc')

  return {
    async keep(entry) {
      const { userId, hash, content, expiresAt } = entry
      if (content.length > KEPT_LIMITS.content) throw new RangeError('The content of a kept entry is too long.')
      await commits.write('other', () => {
        removeExpired.run(clock.now())
        replace.run(userId, hash, content, expiresAt, checksumOf(entry))
        removeOldest.run(userId)
      })
    },
    take: (userId, hash) =>
      commits.write('other', () => {
        const row = take.get(userId, hash)
        const entry = row && entryIn(row, userId, hash)
        return entry !== undefined && entry.expiresAt > clock.now() ? entry : undefined
      }),
  }
}

/** A damaged entry is treated as missing, and the client subscribes again. */
function entryIn(row: Row, userId: UserId, hash: string): KeptEntry | undefined {
  const entry = { userId, hash, content: textIn(row, 'content'), expiresAt: integerIn(row, 'expires_at') }
  return checksumOf(entry) === row['crc'] ? entry : undefined
}

function checksumOf({ userId, hash, content, expiresAt }: KeptEntry): number {
  return crc32(JSON.stringify([userId, hash, content, expiresAt]))
}
