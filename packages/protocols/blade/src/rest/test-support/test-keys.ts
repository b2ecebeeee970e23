import type { Clock, KeyRecord, UserId } from '@polylogue/engine'
import { createMemoryKeyStore, testDigest } from '@polylogue/testkit'
import type { IncomingMessage } from 'node:http'
import type { ApiKeys, AuthOutcome } from '../deps.ts'

const PREFIX = 'sk-blade-v2-'

/** Each user's name is a key of theirs from the beginning. */
export function createTestKeys({ clock, users }: { readonly clock: Clock; readonly users: readonly UserId[] }) {
  const store = createMemoryKeyStore({ clock })
  const revocations = new Map<string, AbortController>()
  let made = 0

  async function create(userId: UserId, name: string, plain: string, kind: 'api' | 'browser' = 'api') {
    const record: KeyRecord = {
      id: `key_${++made}`,
      userId,
      kind,
      name,
      prefix: PREFIX,
      lastFour: plain.slice(-4),
      createdAt: clock.now(),
    }
    revocations.set(record.id, new AbortController())
    await store.createKey({ ...record, hash: testDigest(plain) })
    return { record, plain }
  }
  const ready = Promise.all(users.map((userId) => create(userId, 'first', userId)))
  const isOwn = async (id: string, userId: UserId) => (await store.listKeys(userId)).some((key) => key.id === id)

  return {
    list: (userId) => store.listKeys(userId),
    createApiKey: (userId, name) => create(userId, name, `${PREFIX}secret-${made + 1}-abcd`),
    rename: async (id, name, userId) => (await isOwn(id, userId)) && store.renameKey(id, name),
    async revoke(id, userId) {
      if (!(await isOwn(id, userId)) || !(await store.revokeKey(id))) return false
      revocations.get(id)?.abort()
      return true
    },
    signIn: (userId: UserId) => create(userId, 'a browser', `cookie-${made + 1}`, 'browser'),
    async authenticate({ headers }: IncomingMessage): Promise<AuthOutcome> {
      await ready
      const plain = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
      if (plain === 'hasty') return { type: 'refused', status: 429, error: 'Too many requests.', retryAfterS: 7 }
      const record = await store.findKey(testDigest(plain))
      const revoked = revocations.get(record?.id ?? '')?.signal
      if (record?.kind !== 'api' || revoked === undefined)
        return { type: 'refused', status: 401, error: 'Unauthorized' }
      store.touchKey(record.id, clock.now())
      return { type: 'caller', caller: { userId: record.userId, keyId: record.id, revoked } }
    },
  } satisfies ApiKeys & Record<string, unknown>
}
