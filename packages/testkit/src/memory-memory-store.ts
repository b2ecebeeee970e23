import {
  MEMORY_LIMITS,
  askedWords,
  changeMemory,
  countHit,
  createMemory,
  isRecallable,
  matchesQuery,
  memoryWords,
  rankMemories,
  supersedeMemory,
  type AddedMemory,
  type Clock,
  type Memory,
  type MemoryStore,
  type NewMemory,
  type UserId,
} from '@polylogue/engine'

export function createMemoryMemoryStore({ clock }: { readonly clock: Clock }): MemoryStore {
  const users = new Map<UserId, Map<number, Memory>>()
  let lastId = 0
  const of = (userId: UserId): Map<number, Memory> => {
    const kept = users.get(userId) ?? new Map<number, Memory>()
    users.set(userId, kept)
    return kept
  }

  const search = (userId: UserId, text: string): readonly number[] => {
    const asked = askedWords(text)
    const all = [...of(userId).values()]
      .filter(isRecallable)
      .map(({ memoryId, content }) => ({ memoryId, words: memoryWords(content) }))
    const total = all.reduce((sum, { words }) => sum + words.length, 0)
    const candidates = all.filter(({ words }) => words.some((word) => asked.includes(word)))
    return rankMemories(asked, { count: all.length, averageWords: total / Math.max(1, all.length), candidates })
  }

  const add = (kept: Map<number, Memory>, memory: NewMemory): AddedMemory => {
    const { supersedes, unlessKnown } = memory
    const content = memory.content.toWellFormed()
    const old = supersedes === undefined ? undefined : kept.get(supersedes)
    if (supersedes !== undefined && old === undefined) return { type: 'refused', reason: 'unknown-memory' }
    const by = old?.supersededBy
    if (by !== undefined) {
      const correction = unlessKnown && kept.get(by)
      if (correction && correction.content === content) return { type: 'known', memory: correction }
      return { type: 'refused', reason: 'superseded', by }
    }
    const known = unlessKnown && [...kept.values()].findLast((one) => isRecallable(one) && one.content === content)
    if (!known && kept.size >= MEMORY_LIMITS.perUser) return { type: 'refused', reason: 'full' }
    const at = clock.now()
    const stored = known || createMemory(memory, { memoryId: ++lastId, at })
    kept.set(stored.memoryId, stored)
    if (old && old.memoryId !== stored.memoryId) kept.set(old.memoryId, supersedeMemory(old, stored.memoryId, at))
    return { type: known ? 'known' : 'added', memory: stored }
  }

  return {
    addMemory: async (userId, memory) => add(of(userId), memory),
    findMemory: async (userId, memoryId) => of(userId).get(memoryId),
    async listMemories(userId, query) {
      const { offset = 0, limit } = query
      const found = [...of(userId).values()]
        .filter((memory) => matchesQuery(memory, query))
        .sort((a, b) => b.memoryId - a.memoryId)
      return { memories: found.slice(offset, offset + limit), total: found.length }
    },
    async changeMemories(userId, memoryIds, changes) {
      const kept = of(userId)
      return [...new Set(memoryIds)].flatMap((memoryId) => {
        const memory = kept.get(memoryId)
        if (memory === undefined) return []
        const changed = changeMemory(memory, changes, clock.now())
        kept.set(memoryId, changed)
        return [changed]
      })
    },
    removeMemories: async (userId, memoryIds) => memoryIds.filter((memoryId) => of(userId).delete(memoryId)).length,
    async recall(userId, text, limit) {
      const kept = of(userId)
      return search(userId, text)
        .slice(0, Math.max(0, limit))
        .flatMap((memoryId) => {
          const memory = kept.get(memoryId)
          if (memory === undefined) return []
          const hit = countHit(memory, clock.now())
          kept.set(memoryId, hit)
          return [hit]
        })
    },
  }
}
