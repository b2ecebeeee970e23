import type { Clock, KeyRecord, KeyStore } from '@polylogue/engine'
import { checksumOfKey, keyIn, textIn, type StoredKey } from '@polylogue/store-rows'
import type { Database } from './database.ts'

const COLUMNS =
  'id, user_id, kind, name, hash, prefix, last_four, created_at, expires_at, last_used_at, revoked_at, crc'
const WRITTEN_EVERY_MS = 60_000
const MOST_REMEMBERED = 10_000

export interface PostgresKeyStore extends KeyStore {
  /** Writes the key uses that are not stored yet. */
  flush(): Promise<void>
}

export function createPostgresKeyStore(db: Database, clock: Clock): PostgresKeyStore {
  /** The last use of each key in this process, and which of these times are stored. */
  const touches = new Map<string, { at: number; writtenAt: number }>()
  let writing: Promise<void> = Promise.resolve()

  const toRecord = (key: StoredKey): KeyRecord => {
    const { hash: _hash, revokedAt: _revokedAt, ...record } = key
    const lastUsedAt = Math.max(touches.get(key.id)?.at ?? -Infinity, key.lastUsedAt ?? -Infinity)
    return { ...record, ...(lastUsedAt > -Infinity && { lastUsedAt }) }
  }

  /** `false` when there is no such key or it was revoked. */
  const change = (id: string, changes: Partial<Pick<StoredKey, 'name' | 'revokedAt'>>): Promise<boolean> =>
    db.asSystem(async (query) => {
      const [row] = await query({
        text: `SELECT ${COLUMNS} FROM polylogue.keys WHERE id = $1 FOR UPDATE`,
        values: [id],
      })
      const key = row && keyIn(row)
      if (key === undefined || key.revokedAt !== undefined) return false
      const changed = { ...key, ...changes }
      const text = 'UPDATE polylogue.keys SET name = $2, revoked_at = $3, crc = $4 WHERE id = $1'
      await query({ text, values: [id, changed.name, changed.revokedAt ?? null, checksumOfKey(changed)] })
      return true
    })

  const writeTouches = async (isAll: boolean): Promise<void> => {
    const due = [...touches].filter(
      ([, { at, writtenAt }]) => at - writtenAt >= WRITTEN_EVERY_MS || (isAll && at !== writtenAt),
    )
    if (due.length === 0) return
    const text = `UPDATE polylogue.keys AS k SET last_used_at = greatest(t.at, k.last_used_at)
      FROM unnest($1::text[], $2::int8[]) AS t (id, at) WHERE k.id = t.id`
    const written = due.map(([id, touch]) => ({ id, touch, at: touch.at }))
    await db.read({ name: 'touch_keys', text, values: [written.map(({ id }) => id), written.map(({ at }) => at)] })
    for (const { touch, at } of written) touch.writtenAt = at
    if (touches.size > MOST_REMEMBERED) {
      for (const [id, { at, writtenAt }] of touches) if (at === writtenAt) touches.delete(id)
    }
  }

  return {
    async createKey(key) {
      const { id, userId, kind, hash, prefix, lastFour, createdAt, expiresAt } = key
      const text = `INSERT INTO polylogue.keys (id, user_id, kind, name, hash, prefix, last_four, created_at, expires_at, crc)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING RETURNING id`
      const row = [id, userId, kind, key.name, hash, prefix, lastFour, createdAt, expiresAt ?? null]
      const made = await db.asSystem((query) => query({ text, values: [...row, checksumOfKey(key)] }))
      if (made.length === 0) throw new Error(`The key ${id} exists already.`)
    },
    async findKey(hash) {
      const text = `SELECT ${COLUMNS} FROM polylogue.keys WHERE hash = $1`
      const [row] = await db.read({ name: 'find_key', text, values: [hash] })
      const key = row && keyIn(row)
      if (key === undefined || key.revokedAt !== undefined) return undefined
      return key.expiresAt === undefined || key.expiresAt > clock.now() ? toRecord(key) : undefined
    },
    async listKeys(userId) {
      const text = `SELECT ${COLUMNS} FROM polylogue.keys WHERE $1::text IS NULL OR user_id = $1
        ORDER BY created_at DESC, id DESC`
      const rows = await db.read({ name: 'list_keys', text, values: [userId ?? null] })
      // Includes revoked keys, because a row is checked for damage before its fields are used.
      return rows
        .map(keyIn)
        .filter(({ revokedAt }) => revokedAt === undefined)
        .map(toRecord)
    },
    renameKey: (id, name) => change(id, { name: name }),
    revokeKey: (id) => change(id, { revokedAt: clock.now() }),
    async findRevoked(ids) {
      if (ids.length === 0) return []
      const text = 'SELECT id FROM polylogue.keys WHERE id = ANY ($1) AND revoked_at IS NULL'
      const live = new Set((await db.read({ name: 'live_keys', text, values: [ids] })).map((row) => textIn(row, 'id')))
      return ids.filter((id) => !live.has(id))
    },
    touchKey(id, at) {
      const touch = touches.get(id) ?? { at, writtenAt: -Infinity }
      touch.at = Math.max(at, touch.at)
      touches.set(id, touch)
      if (touch.at - touch.writtenAt < WRITTEN_EVERY_MS) return
      // A failed write is made up for by a later one.
      writing = writing.then(() => writeTouches(false)).catch(() => undefined)
    },
    async flush() {
      await writing
      await writeTouches(true)
    },
  }
}
