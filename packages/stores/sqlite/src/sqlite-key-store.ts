import type { DatabaseSync } from 'node:sqlite'
import { StorageFault, asUserId, type Clock, type KeyRecord, type KeyStore } from '@polylogue/engine'
import type { GroupCommit } from './group-commit.ts'
import { createKeyTouches } from './key-touches.ts'
import { type Row, integerIn, optionalIntegerIn, textIn } from './rows.ts'

export interface SqliteKeyStoreOptions {
  readonly db: DatabaseSync
  readonly clock: Clock
  readonly commits: GroupCommit
}

const COLUMNS = 'id, user_id, kind, name, prefix, last_four, created_at, expires_at, last_used_at'

export function createSqliteKeyStore({ db, clock, commits }: SqliteKeyStoreOptions): KeyStore {
  const selectSame = db.prepare('SELECT 1 FROM keys WHERE id = ? OR hash = ?')
  const insert = db.prepare(
    `INSERT INTO keys (id, user_id, kind, name, hash, prefix, last_four, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const selectValid = db.prepare(
    `SELECT ${COLUMNS} FROM keys WHERE hash = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`,
  )
  const selectAll = db.prepare(`SELECT ${COLUMNS} FROM keys WHERE revoked_at IS NULL ORDER BY created_at DESC, id DESC`)
  const selectOfUser = db.prepare(
    `SELECT ${COLUMNS} FROM keys WHERE user_id = ? AND revoked_at IS NULL ORDER BY created_at DESC, id DESC`,
  )
  const rename = db.prepare('UPDATE keys SET name = ? WHERE id = ? AND revoked_at IS NULL')
  const revoke = db.prepare('UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  const touches = createKeyTouches(db)
  commits.takeAlong((isLast) => touches.board(isLast))

  const toRecord = (row: Row): KeyRecord => {
    const id = textIn(row, 'id')
    const kind = textIn(row, 'kind')
    if (kind !== 'api' && kind !== 'browser') throw new StorageFault('broken', `The key ${id} has the kind ${kind}.`)
    const expiresAt = optionalIntegerIn(row, 'expires_at')
    const lastUsedAt = touches.lastUsedAt(id) ?? optionalIntegerIn(row, 'last_used_at')
    return {
      id,
      userId: asUserId(textIn(row, 'user_id')),
      kind,
      name: textIn(row, 'name'),
      prefix: textIn(row, 'prefix'),
      lastFour: textIn(row, 'last_four'),
      createdAt: integerIn(row, 'created_at'),
      ...(expiresAt !== undefined && { expiresAt }),
      ...(lastUsedAt !== undefined && { lastUsedAt }),
    }
  }

  return {
    createKey: (key) =>
      commits.write('other', () => {
        const { id, userId, kind, name, hash, prefix, lastFour, createdAt, expiresAt } = key
        if (selectSame.get(id, hash) !== undefined) throw new Error(`The key ${id} exists already.`)
        insert.run(id, userId, kind, name, hash, prefix, lastFour, createdAt, expiresAt ?? null)
      }),
    findKey: (hash) =>
      commits.read(() => {
        const row = selectValid.get(hash, clock.now())
        return row && toRecord(row)
      }),
    listKeys: (userId) =>
      commits.read(() => (userId === undefined ? selectAll.all() : selectOfUser.all(userId)).map(toRecord)),
    renameKey: (id, name) => commits.write('other', () => rename.run(name, id).changes === 1),
    revokeKey: (id) => commits.write('other', () => revoke.run(clock.now(), id).changes === 1),
    touchKey: (id, at) => touches.touch(id, at),
  }
}
