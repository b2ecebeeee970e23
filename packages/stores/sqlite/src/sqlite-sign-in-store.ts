import type { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { SIGN_IN_LIMITS, asUserId, type Clock, type SignInStore } from '@polylogue/engine'
import type { GroupCommit } from './group-commit.ts'
import { integerIn, textIn } from '@polylogue/store-rows'

export interface SqliteSignInStoreOptions {
  readonly db: DatabaseSync
  readonly clock: Clock
  readonly commits: GroupCommit
}

export function createSqliteSignInStore({ db, clock, commits }: SqliteSignInStoreOptions): SignInStore {
  const insert = db.prepare('INSERT INTO sign_in_codes (hash, user_id, expires_at, crc) VALUES (?, ?, ?, ?)')
  const removeExpired = db.prepare('DELETE FROM sign_in_codes WHERE expires_at <= ?')
  const removeOldest = db.prepare(
    `DELETE FROM sign_in_codes WHERE rowid IN
       (SELECT rowid FROM sign_in_codes WHERE user_id = ? ORDER BY rowid DESC LIMIT -1 OFFSET ${SIGN_IN_LIMITS.perUser})`,
  )
  const take = db.prepare('DELETE FROM sign_in_codes WHERE hash = ? RETURNING user_id, expires_at, crc')

  return {
    addCode: ({ hash, userId, expiresAt }) =>
      commits.write('other', () => {
        removeExpired.run(clock.now())
        insert.run(hash, userId, expiresAt, checksumOf(hash, userId, expiresAt))
        removeOldest.run(userId)
      }),
    takeCode: (hash) =>
      commits.write('other', () => {
        const row = take.get(hash)
        if (row === undefined) return undefined
        const userId = textIn(row, 'user_id')
        const expiresAt = integerIn(row, 'expires_at')
        const isSound = checksumOf(hash, userId, expiresAt) === row['crc']
        return isSound && expiresAt > clock.now() ? asUserId(userId) : undefined
      }),
  }
}

/** A flipped bit must not sign a browser in as another user. */
const checksumOf = (hash: string, userId: string, expiresAt: number): number =>
  crc32(JSON.stringify([hash, userId, expiresAt]))
