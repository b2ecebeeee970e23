import type { UserId, UserRecord, UserStore } from '@polylogue/engine'

export function createMemoryUserStore(): UserStore {
  const users = new Map<UserId, UserRecord>()
  return {
    async addUser(user) {
      if (users.has(user.userId)) return false
      users.set(user.userId, user)
      return true
    },
    findUser: async (userId) => users.get(userId),
    listUsers: async () => [...users.values()].toSorted((left, right) => (left.userId < right.userId ? -1 : 1)),
    async changeRole(userId, role) {
      const user = users.get(userId)
      if (user !== undefined) users.set(userId, { ...user, role })
      return user !== undefined
    },
    removeUser: async (userId) => users.delete(userId),
  }
}
