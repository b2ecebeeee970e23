/** Who wants to know when a key is revoked: open streams end with their key. */
export interface Revocations {
  /** Returns how to stop watching. */
  watch(keyId: string, end: () => void): () => void
  announce(keyId: string): void
}

export function createRevocations(): Revocations {
  const watchers = new Map<string, Set<() => void>>()
  return {
    watch(keyId, end) {
      const group = watchers.get(keyId) ?? new Set()
      watchers.set(keyId, group.add(end))
      return () => {
        group.delete(end)
        if (group.size === 0 && watchers.get(keyId) === group) watchers.delete(keyId)
      }
    },
    announce(keyId) {
      const group = watchers.get(keyId)
      watchers.delete(keyId)
      for (const end of group ?? []) end()
    },
  }
}
