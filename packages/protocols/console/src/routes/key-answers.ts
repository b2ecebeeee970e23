import { asUserId, EngineError, type KeyRecord, type UserId } from '@polylogue/engine'
import type { Key, keyOperations } from '../contract/keys.ts'
import type { Answers } from './answer-operations.ts'
import type { Caller, ConsoleDeps } from './deps.ts'
import { Refusal } from './refusal.ts'

/** Users manage their own keys; whoever reaches the owner socket manages those of all users. */
export function answerKeys({
  keys,
  users,
  signInLink,
}: Pick<ConsoleDeps, 'keys' | 'users' | 'signInLink'>): Answers<typeof keyOperations> {
  return {
    async listKeys({ caller, query: { user } }) {
      const isOthers = user !== undefined && user !== caller.userId && caller.via !== 'owner-socket'
      if (isOthers && !(await users.isAdmin(caller.userId)))
        throw new Refusal(403, 'Only admins see the keys of others.')
      const reach = user === undefined ? reachOf(caller) : user === '*' ? undefined : asUserId(user)
      return { keys: (await keys.list(reach)).map(toKeyJson) }
    },

    async createKey({ caller, body: { name, user } }) {
      const owner = findOwner(caller, user, {
        stale: 'This browser signed in more than ten minutes ago. Sign in again to make a key.',
        foreign: 'You can make keys for yourself only. The operator uses `polylogue keys create --user`.',
      })
      const { record, plain } = await keys.requestApiKey(owner, name).catch(refuseTooMany)
      return { ...toKeyJson(record), key: plain }
    },

    async revokeKey({ caller, params }) {
      const reach = (await users.isAdmin(caller.userId)) ? undefined : reachOf(caller)
      if (!(await keys.revoke(params.id, reach))) throw new Refusal(404, 'No such key.')
    },

    async createSignInLink({ caller, body: { user } }) {
      const owner = findOwner(caller, user, {
        stale: 'This browser signed in more than ten minutes ago. Sign in again to make a link.',
        foreign: 'You can make links for yourself only. The operator uses `polylogue link --user`.',
      })
      const link = await signInLink(owner)
      if (link === undefined)
        throw new Refusal(409, 'No server is running. `polylogue serve` prints a link at its start.')
      return { ...link, user: owner }
    },
  }
}

/** The user that a new key or link is for. Only the operator makes them for others. */
function findOwner(
  caller: Caller,
  user: string | undefined,
  refusals: { readonly stale: string; readonly foreign: string },
): UserId {
  if (!caller.mayMakeKeys) throw new Refusal(403, refusals.stale)
  if (user === undefined || user === caller.userId) return caller.userId
  if (caller.via !== 'owner-socket') throw new Refusal(403, refusals.foreign)
  return asUserId(user)
}

/** Whose keys the caller sees; `undefined`: those of everybody. */
const reachOf = ({ via, userId }: Caller) => (via === 'owner-socket' ? undefined : userId)

function refuseTooMany(error: unknown): never {
  if (error instanceof EngineError && error.code === 'invalid-input') throw new Refusal(409, error.message)
  throw error
}

function toKeyJson(record: KeyRecord): Key {
  return {
    id: record.id,
    user: record.userId,
    kind: record.kind,
    name: record.name,
    prefix: record.prefix,
    lastFour: record.lastFour,
    createdAt: record.createdAt,
    lastUsedAt: record.lastUsedAt,
    expiresAt: record.expiresAt,
  }
}
