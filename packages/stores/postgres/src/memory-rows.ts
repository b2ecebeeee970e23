import { memoryWords, rankMemories, type Memory, type UserId } from '@polylogue/engine'
import { integerIn, memoryIn, toMemoryColumns, type Row } from '@polylogue/store-rows'
import type { Query } from './database.ts'
import { lockUser } from './lock-user.ts'

/** The memories of one user inside one transaction. */
export interface MemoryRows {
  /** Locks the memories of this user until the transaction ends. */
  lock(): Promise<void>
  count(): Promise<number>
  nextId(): Promise<number>
  find(memoryId: number): Promise<Memory | undefined>
  /** Newest first. */
  list(): Promise<readonly Memory[]>
  /** A memory that can be recalled. */
  findSame(content: string): Promise<Memory | undefined>
  insert(memory: Memory): Promise<void>
  update(memory: Memory): Promise<void>
  remove(memoryIds: readonly number[]): Promise<number>
  /** The ids of memories that match these words, best first. */
  search(asked: readonly string[]): Promise<readonly number[]>
}

const RECALLABLE = 'is_disabled = 0 AND superseded_by IS NULL'

export function createMemoryRows(query: Query, userId: UserId): MemoryRows {
  const select = async (rest: string, ...values: readonly unknown[]): Promise<readonly Memory[]> => {
    const text = `SELECT * FROM polylogue.memories WHERE user_id = $1 ${rest}`
    return (await query({ text, values: [userId, ...values] })).map((row) => memoryIn(row).memory)
  }
  const columnsOf = (memory: Memory) => {
    const words = memoryWords(memory.content)
    return { ...toMemoryColumns({ userId, memory, wordCount: words.length }), words }
  }

  return {
    lock: () => lockUser(query, userId),
    async count() {
      const [row] = await query({
        text: 'SELECT count(*) AS count FROM polylogue.memories WHERE user_id = $1',
        values: [userId],
      })
      return integerIn(row ?? {}, 'count')
    },
    async nextId() {
      const text = "SELECT nextval(pg_get_serial_sequence('polylogue.memories', 'memory_id')) AS id"
      const [row] = await query({ text })
      return integerIn(row ?? {}, 'id')
    },
    find: async (memoryId) => (await select('AND memory_id = $2', memoryId))[0],
    list: () => select('ORDER BY memory_id DESC'),
    findSame: async (content) =>
      (await select(`AND content = $2 AND ${RECALLABLE} ORDER BY memory_id DESC LIMIT 1`, content))[0],
    async insert(memory) {
      const columns = Object.entries(columnsOf(memory))
      const text = `INSERT INTO polylogue.memories (${columns.map(([name]) => name).join(', ')})
        OVERRIDING SYSTEM VALUE VALUES (${columns.map((_, index) => `$${index + 1}`).join(', ')})`
      await query({ text, values: columns.map(([, value]) => value) })
    },
    async update(memory) {
      const columns = Object.entries(columnsOf(memory)).filter(([name]) => name !== 'memory_id' && name !== 'user_id')
      const text = `UPDATE polylogue.memories SET ${columns.map(([name], index) => `${name} = $${index + 3}`).join(', ')}
        WHERE user_id = $1 AND memory_id = $2`
      await query({ text, values: [userId, memory.memoryId, ...columns.map(([, value]) => value)] })
    },
    async remove(memoryIds) {
      const text = 'DELETE FROM polylogue.memories WHERE user_id = $1 AND memory_id = ANY ($2) RETURNING memory_id'
      return (await query({ text, values: [userId, memoryIds] })).length
    },
    async search(asked) {
      const text = `SELECT memory_id, words FROM polylogue.memories WHERE user_id = $1 AND words && $2::text[] AND ${RECALLABLE}`
      const candidates = (await query({ text, values: [userId, asked] })).map((row) => ({
        memoryId: integerIn(row, 'memory_id'),
        words: wordsIn(row),
      }))
      if (candidates.length === 0) return []
      const size = `SELECT count(*) AS count, sum(word_count)::int8 AS words FROM polylogue.memories
        WHERE user_id = $1 AND ${RECALLABLE}`
      const [row = {}] = await query({ text: size, values: [userId] })
      const count = integerIn(row, 'count')
      return rankMemories(asked, { count, averageWords: integerIn(row, 'words') / Math.max(1, count), candidates })
    },
  }
}

function wordsIn(row: Row): readonly string[] {
  const words = row['words']
  return Array.isArray(words) ? words.map(String) : []
}
