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
  type Memory,
  type MemoryStore,
  type NewMemory,
  type UserId,
} from '@polylogue/engine'
import type { Database } from './database.ts'
import { createMemoryRows, type MemoryRows } from './memory-rows.ts'

export function createPostgresMemoryStore(db: Database, clock: Clock): MemoryStore {
  const read = <T>(userId: UserId, work: (rows: MemoryRows) => Promise<T>): Promise<T> =>
    db.asUser(userId, (query) => work(createMemoryRows(query, userId)))
  const write = <T>(userId: UserId, work: (rows: MemoryRows) => Promise<T>): Promise<T> =>
    db.change(userId, async (query) => {
      const rows = createMemoryRows(query, userId)
      await rows.lock()
      return work(rows)
    })

  const add = async (rows: MemoryRows, memory: NewMemory): Promise<AddedMemory> => {
    const { supersedes, unlessKnown, content } = memory
    const old = supersedes === undefined ? undefined : await rows.find(supersedes)
    if (supersedes !== undefined && old === undefined) return { type: 'refused', reason: 'unknown-memory' }
    const by = old?.supersededBy
    if (by !== undefined) {
      const correction = unlessKnown && (await rows.find(by))
      if (correction && correction.content === content.toWellFormed()) return { type: 'known', memory: correction }
      return { type: 'refused', reason: 'superseded', by }
    }
    const known = unlessKnown && (await rows.findSame(content.toWellFormed()))
    if (!known && (await rows.count()) >= MEMORY_LIMITS.perUser) return { type: 'refused', reason: 'full' }
    const at = clock.now()
    const kept = known || createMemory(memory, { memoryId: await rows.nextId(), at })
    if (!known) await rows.insert(kept)
    if (old && old.memoryId !== kept.memoryId) await rows.update(supersedeMemory(old, kept.memoryId, at))
    return { type: known ? 'known' : 'added', memory: kept }
  }

  /** Changes the existing memories one by one. */
  const update = async (
    rows: MemoryRows,
    memoryIds: readonly number[],
    change: (memory: Memory) => Memory | undefined,
  ): Promise<readonly Memory[]> => {
    const changed: Memory[] = []
    for (const memoryId of memoryIds) {
      const memory = await rows.find(memoryId)
      const next = memory && change(memory)
      if (next === undefined) continue
      await rows.update(next)
      changed.push(next)
    }
    return changed
  }

  return {
    addMemory: (userId, memory) => write(userId, (rows) => add(rows, memory)),
    findMemory: (userId, memoryId) => read(userId, (rows) => rows.find(memoryId)),
    listMemories: (userId, query) =>
      read(userId, async (rows) => {
        const found = (await rows.list()).filter((memory) => matchesQuery(memory, query))
        const { offset = 0, limit } = query
        return { memories: found.slice(offset, offset + limit), total: found.length }
      }),
    changeMemories: (userId, memoryIds, changes) =>
      write(userId, (rows) =>
        update(rows, [...new Set(memoryIds)], (memory) => changeMemory(memory, changes, clock.now())),
      ),
    removeMemories: (userId, memoryIds) => write(userId, (rows) => rows.remove(memoryIds)),
    async recall(userId, text, limit) {
      const asked = askedWords(text)
      if (asked.length === 0 || limit < 1) return []
      const ids = (await read(userId, (rows) => rows.search(asked))).slice(0, limit)
      if (ids.length === 0) return []
      return write(userId, (rows) =>
        // A memory may have been removed or disabled in between.
        update(rows, ids, (memory) => (isRecallable(memory) ? countHit(memory, clock.now()) : undefined)),
      )
    },
  }
}
