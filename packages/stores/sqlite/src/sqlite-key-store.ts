import type { DatabaseSync } from 'node:sqlite'
import type { Clock, KeyRecord, KeyStore } from '@polylogue/engine'
import { checksumOfKey, keyIn, type StoredKey } from '@polylogue/store-rows'
import type { GroupCommit } from './group-commit.ts'
import { createKeyTouches } from './key-touches.ts'

export interface SqliteKeyStoreOptions {
  readonly db: DatabaseSync
  readonly clock: Clock
  readonly commits: GroupCommit
}

const COLUMNS =
  'id, user_id, kind, name, hash, prefix, last_four, created_at, expires_at, last_used_at, revoked_at, crc'

export function createSqliteKeyStore({ db, clock, commits }: SqliteKeyStoreOptions): KeyStore {
  const selectSame = db.prepare('SELECT 1 FROM keys WHERE id = ? OR hash = ?')
  const insert = db.prepare(
    `INSERT INTO keys (id, user_id, kind, name, hash, prefix, last_four, created_at, expires_at, crc)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  // Includes revoked and expired keys: a row is checked for damage before its fields are used.
  const selectByHash = db.prepare(`SELECT ${COLUMNS} FROM keys WHERE hash = ?`)
  const selectById = db.prepare(`SELECT ${COLUMNS} FROM keys WHERE id = ?`)
  const selectAll = db.prepare(`SELECT ${COLUMNS} FROM keys ORDER BY created_at DESC, id DESC`)
  const selectOfUser = db.prepare(`SELECT ${COLUMNS} FROM keys WHERE user_id = ? ORDER BY created_at DESC, id DESC`)
  const selectLive = db.prepare('SELECT 1 FROM keys WHERE id = ? AND revoked_at IS NULL')
  const update = db.prepare('UPDATE keys SET name = ?, revoked_at = ?, crc = ? WHERE id = ?')
  const touches = createKeyTouches(db)
  commits.takeAlong((isLast) => touches.board(isLast))

  const toRecord = (key: StoredKey): KeyRecord => {
    const { hash: _hash, revokedAt: _revokedAt, ...record } = key
    const lastUsedAt = touches.lastUsedAt(key.id) ?? key.lastUsedAt
    return { ...record, ...(lastUsedAt !== undefined && { lastUsedAt }) }
  }

  /** `false` when there is no such key or it was revoked. */
  const change = (id: string, changes: Partial<Pick<StoredKey, 'name' | 'revokedAt'>>): boolean => {
    const row = selectById.get(id)
    const key = row && keyIn(row)
    if (key === undefined || key.revokedAt !== undefined) return false
    const changed = { ...key, ...changes }
    update.run(changed.name, changed.revokedAt ?? null, checksumOfKey(changed), id)
    return true
  }

  return {
    createKey: (key) =>
      commits.write('other', () => {
        const { id, userId, kind, name, hash, prefix, lastFour, createdAt, expiresAt } = key
        if (selectSame.get(id, hash) !== undefined) throw new Error(`The key ${id} exists already.`)
        const checksum = checksumOfKey(key)
        insert.run(id, userId, kind, name, hash, prefix, lastFour, createdAt, expiresAt ?? null, checksum)
      }),
    findKey: (hash) =>
      commits.read(() => {
        const row = selectByHash.get(hash)
        const key = row && keyIn(row)
        if (key === undefined || key.revokedAt !== undefined) return undefined
        return key.expiresAt === undefined || key.expiresAt > clock.now() ? toRecord(key) : undefined
      }),
    listKeys: (userId) =>
      commits.read(() => {
        const keys = (userId === undefined ? selectAll.all() : selectOfUser.all(userId)).map(keyIn)
        return keys.filter(({ revokedAt }) => revokedAt === undefined).map(toRecord)
      }),
    renameKey: (id, name) => commits.write('other', () => change(id, { name })),
    revokeKey: (id) => commits.write('other', () => change(id, { revokedAt: clock.now() })),
    findRevoked: (ids) => commits.read(() => ids.filter((id) => selectLive.get(id) === undefined)),
    touchKey: (id, at) => touches.touch(id, at),
  }
}
