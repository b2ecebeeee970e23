import { asUserId, EngineError, type KeyRecord } from '@polylogue/engine'
import type { Key, keyOperations } from '../contract/keys.ts'
import type { Answers } from './answer-operations.ts'
import type { Caller, ConsoleDeps } from './deps.ts'
import { Refusal } from './refusal.ts'

/** Users manage their own keys; whoever reaches the owner socket manages those of all users. */
export function answerKeys({ keys }: Pick<ConsoleDeps, 'keys'>): Answers<typeof keyOperations> {
  return {
    async listKeys({ caller }) {
      return { keys: (await keys.list(reachOf(caller))).map(toKeyJson) }
    },

    async createKey({ caller, body: { name, user } }) {
      if (!caller.mayMakeKeys) {
        throw new Refusal(403, 'This browser signed in more than ten minutes ago. Sign in again to make a key.')
      }
      if (user !== undefined && user !== caller.userId && caller.via !== 'owner-socket') {
        throw new Refusal(403, 'You can make keys for yourself only. The operator uses `polylogue keys create --user`.')
      }
      const owner = user === undefined ? caller.userId : asUserId(user)
      const { record, plain } = await keys.requestApiKey(owner, name).catch(refuseTooMany)
      return { ...toKeyJson(record), key: plain }
    },

    async revokeKey({ caller, params }) {
      if (!(await keys.revoke(params.id, reachOf(caller)))) throw new Refusal(404, 'No such key.')
    },
  }
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
