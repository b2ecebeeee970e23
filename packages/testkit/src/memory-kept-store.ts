import { KEPT_LIMITS, type Clock, type KeptEntry, type KeptStore } from '@polylogue/engine'

export function createMemoryKeptStore({ clock }: { readonly clock: Clock }): KeptStore {
  let entries: readonly KeptEntry[] = []
  return {
    async keep(entry) {
      if (entry.content.length > KEPT_LIMITS.content) throw new RangeError('The content of a kept entry is too long.')
      const others = entries.filter(({ userId, hash }) => userId !== entry.userId || hash !== entry.hash)
      const valid = [...others, entry].filter(({ expiresAt }) => expiresAt > clock.now())
      const ofUser = valid.filter(({ userId }) => userId === entry.userId)
      const surplus = new Set(ofUser.slice(0, Math.max(0, ofUser.length - KEPT_LIMITS.perUser)))
      entries = valid.filter((kept) => !surplus.has(kept))
    },
    async take(userId, hash) {
      const taken = entries.find((entry) => entry.userId === userId && entry.hash === hash)
      entries = entries.filter((entry) => entry !== taken)
      return taken !== undefined && taken.expiresAt > clock.now() ? taken : undefined
    },
  }
}
