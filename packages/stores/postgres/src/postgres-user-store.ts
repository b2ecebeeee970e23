import type { UserStore } from '@polylogue/engine'
import { checksumOfUser, userIn } from '@polylogue/store-rows'
import type { Database } from './database.ts'

const COLUMNS = 'user_id, role, created_at, crc'

export function createPostgresUserStore(db: Database): UserStore {
  return {
    async addUser(user) {
      const { userId, role, createdAt } = user
      const text = `INSERT INTO polylogue.users (${COLUMNS}) VALUES ($1, $2, $3, $4)
        ON CONFLICT DO NOTHING RETURNING user_id`
      return (await db.write({ text, values: [userId, role, createdAt, checksumOfUser(user)] })).length > 0
    },
    async findUser(userId) {
      const text = `SELECT ${COLUMNS} FROM polylogue.users WHERE user_id = $1`
      const [row] = await db.read({ name: 'find_user', text, values: [userId] })
      return row && userIn(row)
    },
    async listUsers() {
      return (await db.read({ text: `SELECT ${COLUMNS} FROM polylogue.users ORDER BY user_id` })).map(userIn)
    },
    changeRole: (userId, role) =>
      db.asSystem(async (query) => {
        const text = `SELECT ${COLUMNS} FROM polylogue.users WHERE user_id = $1 FOR UPDATE`
        const [row] = await query({ text, values: [userId] })
        if (row === undefined) return false
        const crc = checksumOfUser({ ...userIn(row), role })
        await query({
          text: 'UPDATE polylogue.users SET role = $1, crc = $2 WHERE user_id = $3',
          values: [role, crc, userId],
        })
        return true
      }),
    async removeUser(userId) {
      const text = 'DELETE FROM polylogue.users WHERE user_id = $1 RETURNING user_id'
      return (await db.write({ text, values: [userId] })).length > 0
    },
  }
}
