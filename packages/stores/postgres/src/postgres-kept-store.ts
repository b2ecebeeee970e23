import { crc32 } from 'node:zlib'
import { KEPT_LIMITS, type Clock, type KeptEntry, type KeptStore, type UserId } from '@polylogue/engine'
import { integerIn, textIn, type Row } from '@polylogue/store-rows'
import type { Database } from './database.ts'

export function createPostgresKeptStore(db: Database, clock: Clock): KeptStore {
  return {
    async keep(entry) {
      if (entry.content.length > KEPT_LIMITS.content) throw new RangeError('The content of a kept entry is too long.')
      const { userId, hash, content, expiresAt } = entry
      const crc = checksumOf(entry)
      await db.change(userId, async (query) => {
        const expired = 'DELETE FROM polylogue.kept_sockets WHERE user_id = $1 AND (expires_at <= $2 OR hash = $3)'
        await query({ text: expired, values: [userId, clock.now(), hash] })
        const insert = `INSERT INTO polylogue.kept_sockets (user_id, hash, content, expires_at, crc)
          VALUES ($1, $2, $3, $4, $5) ON CONFLICT (user_id, hash) DO UPDATE
          SET content = excluded.content, expires_at = excluded.expires_at, crc = excluded.crc`
        await query({ text: insert, values: [userId, hash, content, expiresAt, crc] })
        const oldest = `DELETE FROM polylogue.kept_sockets WHERE user_id = $1 AND entry NOT IN
          (SELECT entry FROM polylogue.kept_sockets WHERE user_id = $1 ORDER BY entry DESC LIMIT ${KEPT_LIMITS.perUser})`
        await query({ text: oldest, values: [userId] })
      })
    },
    take: (userId, hash) =>
      db.change(userId, async (query) => {
        const text = `DELETE FROM polylogue.kept_sockets WHERE user_id = $1 AND hash = $2
          RETURNING content, expires_at, crc`
        const [row] = await query({ text, values: [userId, hash] })
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
