import type { Clock, KeyRecord, KeyStore, NewKey } from '@polylogue/engine'

interface StoredKey {
  key: NewKey
  lastUsedAt: number | undefined
  isRevoked: boolean
}

export function createMemoryKeyStore({ clock }: { readonly clock: Clock }): KeyStore {
  const keys = new Map<string, StoredKey>()

  const findValid = (id: string): StoredKey | undefined => {
    const stored = keys.get(id)
    return stored?.isRevoked === false ? stored : undefined
  }

  return {
    async createKey(key) {
      for (const { key: other } of keys.values()) {
        if (other.id === key.id || other.hash === key.hash) throw new Error(`The key ${key.id} exists already.`)
      }
      keys.set(key.id, { key, lastUsedAt: undefined, isRevoked: false })
    },
    async findKey(hash) {
      for (const stored of keys.values()) {
        if (stored.key.hash !== hash || stored.isRevoked) continue
        const { expiresAt } = stored.key
        return expiresAt === undefined || expiresAt > clock.now() ? toRecord(stored) : undefined
      }
      return undefined
    },
    async listKeys(userId) {
      return [...keys.values()]
        .filter(({ key, isRevoked }) => !isRevoked && (userId === undefined || key.userId === userId))
        .sort(({ key: a }, { key: b }) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
        .map(toRecord)
    },
    async renameKey(id, name) {
      const stored = findValid(id)
      if (stored === undefined) return false
      stored.key = { ...stored.key, name }
      return true
    },
    async revokeKey(id) {
      const stored = findValid(id)
      if (stored === undefined) return false
      stored.isRevoked = true
      return true
    },
    findRevoked: async (ids) => ids.filter((id) => findValid(id) === undefined),
    touchKey(id, at) {
      const stored = keys.get(id)
      if (stored !== undefined) stored.lastUsedAt = Math.max(at, stored.lastUsedAt ?? at)
    },
  }
}

function toRecord({ key: { hash: _hash, ...key }, lastUsedAt }: StoredKey): KeyRecord {
  return lastUsedAt === undefined ? key : { ...key, lastUsedAt }
}
