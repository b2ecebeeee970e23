import type { DatabaseSync } from 'node:sqlite'
import type { UserRecord, UserStore } from '@polylogue/engine'
import { checksumOfUser, userIn } from '@polylogue/store-rows'
import type { GroupCommit } from './group-commit.ts'

export interface SqliteUserStoreOptions {
  readonly db: DatabaseSync
  readonly commits: GroupCommit
}

export function createSqliteUserStore({ db, commits }: SqliteUserStoreOptions): UserStore {
  const insert = db.prepare(
    'INSERT INTO users (user_id, role, created_at, crc) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const select = db.prepare('SELECT user_id, role, created_at, crc FROM users WHERE user_id = ?')
  const selectAll = db.prepare('SELECT user_id, role, created_at, crc FROM users ORDER BY user_id')
  const update = db.prepare('UPDATE users SET role = ?, crc = ? WHERE user_id = ?')
  const remove = db.prepare('DELETE FROM users WHERE user_id = ?')
  const find = (userId: string): UserRecord | undefined => {
    const row = select.get(userId)
    return row && userIn(row)
  }
  return {
    addUser: (user) =>
      commits.write('other', () => {
        const { userId, role, createdAt } = user
        return insert.run(userId, role, createdAt, checksumOfUser(user)).changes > 0
      }),
    findUser: (userId) => commits.read(() => find(userId)),
    listUsers: () => commits.read(() => selectAll.all().map(userIn)),
    changeRole: (userId, role) =>
      commits.write('other', () => {
        const user = find(userId)
        if (user === undefined) return false
        update.run(role, checksumOfUser({ ...user, role }), userId)
        return true
      }),
    removeUser: (userId) => commits.write('other', () => remove.run(userId).changes > 0),
  }
}
