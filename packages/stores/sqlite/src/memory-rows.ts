import type { DatabaseSync } from 'node:sqlite'
import { memoryWords, rankMemories, type Memory, type UserId } from '@polylogue/engine'
import { type MemoryColumns, integerIn, memoryIn, textIn, toMemoryColumns } from '@polylogue/store-rows'

/** The memories and the index of their words, kept in step. Nothing here waits or commits. */
export interface MemoryRows {
  countOf(userId: UserId): number
  /** The id of the next memory. */
  nextId(): number
  find(userId: UserId, memoryId: number): Memory | undefined
  /** Newest first. */
  listOf(userId: UserId): readonly Memory[]
  /** A memory that can be recalled. */
  findSame(userId: UserId, content: string): Memory | undefined
  insert(userId: UserId, memory: Memory): void
  /** Rewrites the row, and its words when the content changed. */
  update(userId: UserId, memory: Memory): void
  remove(userId: UserId, memoryId: number): boolean
  /** The ids of memories that match these words, best first. */
  search(userId: UserId, words: readonly string[]): readonly number[]
}

const RECALLABLE = 'is_disabled = 0 AND superseded_by IS NULL'

const COLUMNS = (
  'memory_id user_id type content skill_name record_type scope owner topic external_id superseded_by write_reason ' +
  'created_at updated_at hit_count last_hit_at is_disabled source_session origin source_tool word_count crc'
).split(' ')

export function createMemoryRows(db: DatabaseSync): MemoryRows {
  const prepare = (sql: string) => db.prepare(sql)
  const selectCount = prepare('SELECT count(*) AS count FROM memories WHERE user_id = ?')
  const selectLastId = prepare("SELECT seq FROM sqlite_sequence WHERE name = 'memories'")
  const selectOne = prepare('SELECT * FROM memories WHERE user_id = ? AND memory_id = ?')
  const selectAll = prepare('SELECT * FROM memories WHERE user_id = ? ORDER BY memory_id DESC')
  const selectSame = prepare(
    `SELECT * FROM memories WHERE user_id = ? AND content = ? AND ${RECALLABLE} ORDER BY memory_id DESC LIMIT 1`,
  )
  const insertRow = prepare(
    `INSERT INTO memories (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map((name) => `:${name}`).join(', ')})`,
  )
  const updateRow = prepare(
    `UPDATE memories SET ${COLUMNS.map((name) => `${name} = :${name}`).join(', ')} WHERE memory_id = :memory_id`,
  )
  const deleteRow = prepare('DELETE FROM memories WHERE user_id = ? AND memory_id = ?')
  const insertWords = prepare('INSERT INTO memory_words (rowid, user, words) VALUES (?, ?, ?)')
  const deleteWords = prepare('DELETE FROM memory_words WHERE rowid = ?')
  const selectSize = prepare(
    `SELECT count(*) AS count, total(word_count) AS words FROM memories WHERE user_id = ? AND ${RECALLABLE}`,
  )
  const selectCandidates = prepare(
    `SELECT memory_id, words FROM memory_words JOIN memories ON memory_id = memory_words.rowid
     WHERE memory_words MATCH ? AND user_id = ? AND ${RECALLABLE}`,
  )

  const find = (userId: UserId, memoryId: number) => {
    const row = selectOne.get(userId, memoryId)
    return row && memoryIn(row)
  }
  const columnsOf = (userId: UserId, memory: Memory, wordCount: number): MemoryColumns =>
    toMemoryColumns({ userId, memory, wordCount })

  return {
    countOf: (userId) => integerIn(selectCount.get(userId) ?? {}, 'count'),
    nextId() {
      const row = selectLastId.get()
      return row === undefined ? 1 : integerIn(row, 'seq') + 1
    },
    find: (userId, memoryId) => find(userId, memoryId)?.memory,
    listOf: (userId) => selectAll.all(userId).map((row) => memoryIn(row).memory),
    findSame(userId, content) {
      const row = selectSame.get(userId, content)
      return row && memoryIn(row).memory
    },
    insert(userId, memory) {
      const words = memoryWords(memory.content)
      insertRow.run(columnsOf(userId, memory, words.length))
      insertWords.run(memory.memoryId, userWord(userId), words.join(' '))
    },
    update(userId, memory) {
      const before = find(userId, memory.memoryId)
      if (before === undefined) return
      if (before.memory.content === memory.content) {
        updateRow.run(columnsOf(userId, memory, before.wordCount))
        return
      }
      const words = memoryWords(memory.content)
      updateRow.run(columnsOf(userId, memory, words.length))
      deleteWords.run(memory.memoryId)
      insertWords.run(memory.memoryId, userWord(userId), words.join(' '))
    },
    remove(userId, memoryId) {
      if (Number(deleteRow.run(userId, memoryId).changes) === 0) return false
      deleteWords.run(memoryId)
      return true
    },
    search(userId, asked) {
      const candidates = selectCandidates.all(matchOf(userId, asked), userId).map((row) => ({
        memoryId: integerIn(row, 'memory_id'),
        words: textIn(row, 'words').split(' '),
      }))
      if (candidates.length === 0) return []
      const size = selectSize.get(userId) ?? {}
      const count = integerIn(size, 'count')
      return rankMemories(asked, { count, averageWords: integerIn(size, 'words') / Math.max(1, count), candidates })
    },
  }
}

/** Letters and digits only, so that it is one token that no other user has. */
const userWord = (userId: UserId): string => `u${Buffer.from(userId).toString('hex')}`

/** Includes the user, so that the index skips the memories of others. */
function matchOf(userId: UserId, asked: readonly string[]): string {
  return `user : "${userWord(userId)}" AND words : (${asked.map((word) => `"${word}"`).join(' OR ')})`
}
