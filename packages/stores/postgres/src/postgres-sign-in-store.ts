import { crc32 } from 'node:zlib'
import { SIGN_IN_LIMITS, asUserId, type Clock, type SignInStore } from '@polylogue/engine'
import { integerIn, textIn } from '@polylogue/store-rows'
import type { Database } from './database.ts'

export function createPostgresSignInStore(db: Database, clock: Clock): SignInStore {
  return {
    addCode: ({ hash, userId, expiresAt }) =>
      db.asSystem(async (query) => {
        await query({ text: 'DELETE FROM polylogue.sign_in_codes WHERE expires_at <= $1', values: [clock.now()] })
        const insert = 'INSERT INTO polylogue.sign_in_codes (hash, user_id, expires_at, crc) VALUES ($1, $2, $3, $4)'
        await query({ text: insert, values: [hash, userId, expiresAt, checksumOf(hash, userId, expiresAt)] })
        const oldest = `DELETE FROM polylogue.sign_in_codes WHERE user_id = $1 AND entry NOT IN
          (SELECT entry FROM polylogue.sign_in_codes WHERE user_id = $1 ORDER BY entry DESC LIMIT ${SIGN_IN_LIMITS.perUser})`
        await query({ text: oldest, values: [userId] })
      }),
    takeCode: (hash) =>
      db.asSystem(async (query) => {
        const text = 'DELETE FROM polylogue.sign_in_codes WHERE hash = $1 RETURNING user_id, expires_at, crc'
        const [row] = await query({ text, values: [hash] })
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
