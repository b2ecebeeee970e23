import { asUserId, type UserId } from '@polylogue/engine'
import type { User, userOperations } from '../contract/users.ts'
import type { Answers } from './answer-operations.ts'
import type { Caller, ConsoleDeps, KnownUser } from './deps.ts'
import { Refusal } from './refusal.ts'

/** Admins manage users; whoever reaches the owner socket is one. No admin can read what belongs to another user. */
export function answerUsers({
  users,
  signInLink,
  isOperator,
}: Pick<ConsoleDeps, 'users' | 'signInLink' | 'isOperator'>): Answers<typeof userOperations> {
  const requireAdmin = async ({ via, userId }: Caller): Promise<void> => {
    if (via === 'owner-socket' || (await users.isAdmin(userId))) return
    throw new Refusal(403, 'Only admins manage users.')
  }
  const requireRecentAdmin = async (caller: Caller): Promise<void> => {
    await requireAdmin(caller)
    if (caller.mayMakeKeys) return
    throw new Refusal(403, 'This browser signed in more than ten minutes ago. Sign in again to change users.')
  }
  const find = async (userId: UserId): Promise<User> => {
    const found = (await users.list()).find((user) => user.userId === userId)
    if (found === undefined) throw new Refusal(404, 'No such user.')
    return toUserJson(found)
  }
  return {
    async listUsers({ caller }) {
      await requireAdmin(caller)
      return { users: (await users.list()).map(toUserJson) }
    },

    async addUser({ caller, body: { name, role } }) {
      await requireRecentAdmin(caller)
      const userId = asUserId(name)
      if (!(await users.add(userId, role))) throw new Refusal(409, `The user ${name} exists.`)
      // The user is new and owns nothing, so the link gives the admin nothing to read.
      const link = await signInLink(userId)
      return { ...(await find(userId)), ...(link && { link }) }
    },

    async changeUser({ caller, params: { name }, body: { role } }) {
      await requireRecentAdmin(caller)
      const userId = asUserId(name)
      if (isOperator(userId)) throw new Refusal(409, `The user ${name} is always an admin.`)
      if (!(await users.changeRole(userId, role))) throw new Refusal(404, 'No such user.')
      return find(userId)
    },

    async removeUser({ caller, params: { name }, query: { sessions } }) {
      await requireRecentAdmin(caller)
      const outcome = await users.remove(asUserId(name), { deleteSessions: sessions === 'delete' })
      switch (outcome.type) {
        case 'removed':
          return { sessions: outcome.sessions }
        case 'unknown':
          throw new Refusal(404, 'No such user.')
        case 'refused':
          throw new Refusal(
            409,
            outcome.reason === 'local'
              ? `The user ${name} cannot be removed.`
              : `The user ${name} has sessions. Delete them too with \`polylogue users remove ${name} --delete-sessions\`.`,
          )
      }
    },
  }
}

function toUserJson({ userId, role, createdAt, keys, browsers, lastUsedAt }: KnownUser): User {
  return {
    name: userId,
    role,
    keys,
    browsers,
    ...(createdAt !== undefined && { createdAt }),
    ...(lastUsedAt !== undefined && { lastUsedAt }),
  }
}
