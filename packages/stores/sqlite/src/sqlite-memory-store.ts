import type { DatabaseSync } from 'node:sqlite'
import {
  MEMORY_LIMITS,
  askedWords,
  changeMemory,
  countHit,
  createMemory,
  isRecallable,
  matchesQuery,
  supersedeMemory,
  type AddedMemory,
  type Clock,
  type MemoryStore,
  type NewMemory,
  type UserId,
} from '@polylogue/engine'
import type { GroupCommit } from './group-commit.ts'
import { createMemoryRows } from './memory-rows.ts'

export interface SqliteMemoryStoreOptions {
  readonly db: DatabaseSync
  readonly clock: Clock
  readonly commits: GroupCommit
}

const MOST_KNOWN = 10_000

export function createSqliteMemoryStore({ db, clock, commits }: SqliteMemoryStoreOptions): MemoryStore {
  const rows = createMemoryRows(db)
  /** Users without memories. Every turn checks this, and it changes only when a memory is added. */
  const without = new Set<UserId>()
  const hasNone = (userId: UserId): boolean => {
    if (without.has(userId)) return true
    if (rows.countOf(userId) > 0) return false
    if (without.size >= MOST_KNOWN) without.clear()
    without.add(userId)
    return true
  }

  const add = (userId: UserId, memory: NewMemory): AddedMemory => {
    const { supersedes, unlessKnown, content } = memory
    const old = supersedes === undefined ? undefined : rows.find(userId, supersedes)
    if (supersedes !== undefined && old === undefined) return { type: 'refused', reason: 'unknown-memory' }
    const by = old?.supersededBy
    if (by !== undefined) {
      const correction = unlessKnown && rows.find(userId, by)
      if (correction && correction.content === content.toWellFormed()) return { type: 'known', memory: correction }
      return { type: 'refused', reason: 'superseded', by }
    }
    const known = unlessKnown && rows.findSame(userId, content.toWellFormed())
    if (!known && rows.countOf(userId) >= MEMORY_LIMITS.perUser) return { type: 'refused', reason: 'full' }
    const at = clock.now()
    const kept = known || createMemory(memory, { memoryId: rows.nextId(), at })
    if (!known) rows.insert(userId, kept)
    if (old && old.memoryId !== kept.memoryId) rows.update(userId, supersedeMemory(old, kept.memoryId, at))
    return { type: known ? 'known' : 'added', memory: kept }
  }

  return {
    addMemory: (userId, memory) =>
      commits.write('other', () => {
        without.delete(userId)
        return add(userId, memory)
      }),
    findMemory: (userId, memoryId) => commits.read(() => rows.find(userId, memoryId)),
    listMemories: (userId, query) =>
      commits.read(() => {
        const found = rows.listOf(userId).filter((memory) => matchesQuery(memory, query))
        const { offset = 0, limit } = query
        return { memories: found.slice(offset, offset + limit), total: found.length }
      }),
    changeMemories: (userId, memoryIds, changes) =>
      commits.write('other', () =>
        [...new Set(memoryIds)].flatMap((memoryId) => {
          const memory = rows.find(userId, memoryId)
          if (memory === undefined) return []
          const changed = changeMemory(memory, changes, clock.now())
          rows.update(userId, changed)
          return [changed]
        }),
      ),
    removeMemories: (userId, memoryIds) =>
      commits.write('other', () => [...new Set(memoryIds)].filter((id) => rows.remove(userId, id)).length),
    async recall(userId, text, limit) {
      if (await commits.read(() => hasNone(userId))) return []
      const asked = askedWords(text)
      if (asked.length === 0 || limit < 1) return []
      const ids = (await commits.read(() => rows.search(userId, asked))).slice(0, limit)
      if (ids.length === 0) return []
      return commits.write('other', () =>
        ids.flatMap((memoryId) => {
          // It may have been removed or disabled in between.
          const memory = rows.find(userId, memoryId)
          if (memory === undefined || !isRecallable(memory)) return []
          const hit = countHit(memory, clock.now())
          rows.update(userId, hit)
          return [hit]
        }),
      )
    },
  }
}
