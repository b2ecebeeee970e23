/**
 * The rows of the search index. A session has a number; its texts are the rows `number * TEXTS_PER_SESSION + n` of
 * `search_words`, where n = 0 is its title. So a match tells its session without another lookup, and the rows of a
 * session are found again when it is deleted. Nothing here waits or commits.
 */
import type { DatabaseSync } from 'node:sqlite'
import { foldTitle, toSearchTokens, type SearchTerm, type UserId } from '@polylogue/engine'
import { type Row, integerIn, textIn } from '@polylogue/store-rows'

export interface SearchMark {
  readonly number: number
  readonly indexedSeq: number
  readonly texts: number
  /** Folded. */
  readonly title: string
}

export interface IndexedSession {
  readonly userId: string
  readonly lastSeq: number
  readonly title: string
}

export interface SearchRows {
  /** The data of a session that the indexer needs. `undefined` when the session is gone. */
  session(sessionId: string): IndexedSession | undefined
  mark(sessionId: string): SearchMark | undefined
  /** Adds a text, brings the title up to date and moves the mark. Runs inside a transaction. */
  add(sessionId: string, added: AddedText): void
  /** Removes some rows of a deleted session. Returns whether nothing is left. Runs inside a transaction. */
  removeSome(sessionId: string): boolean
  /** Sessions after `after`, in id order, whose mark is behind their log, and where to continue. */
  behind(after: string): { readonly sessionIds: readonly string[]; readonly next: string | undefined }
  /** The numbers of sessions that have all terms. */
  find(userId: UserId, terms: readonly SearchTerm[]): FoundNumbers
  /** Empties the index. Runs inside a transaction. */
  clear(): void
}

export interface FoundNumbers {
  readonly numbers: readonly number[]
  /** Older rows of the index were not searched. */
  readonly isPartial: boolean
}

export interface AddedText {
  /** Empty: there is nothing to add. */
  readonly tokens: readonly string[]
  readonly indexedSeq: number
}

const TEXTS_PER_SESSION = 2 ** 20
const REMOVED_A_COMMIT = 200
const SCANNED_A_READ = 200
/** Rows that one term may match, the newest of them. A search must not hold the event loop for long. */
const MOST_MATCHES = 50_000

export function prepareSearchRows(db: DatabaseSync): SearchRows {
  const selectSession = db.prepare(
    `SELECT s.user_id, s.last_seq, coalesce(l.title, '') AS title
     FROM sessions AS s LEFT JOIN listings AS l USING (session_id) WHERE s.session_id = ?`,
  )
  const selectMark = db.prepare('SELECT number, indexed_seq, texts, title FROM search_marks WHERE session_id = ?')
  const insertMark = db.prepare(
    `INSERT INTO search_marks (session_id, indexed_seq, texts, title) VALUES (?, 0, 0, '')
     RETURNING number, indexed_seq, texts, title`,
  )
  const updateMark = db.prepare('UPDATE search_marks SET indexed_seq = ?, texts = ?, title = ? WHERE number = ?')
  const deleteMark = db.prepare('DELETE FROM search_marks WHERE number = ?')
  const insertWords = db.prepare('INSERT INTO search_words (rowid, user, words) VALUES (?, ?, ?)')
  const deleteWords = db.prepare('DELETE FROM search_words WHERE rowid = ?')
  const selectBehind = db.prepare(
    `SELECT s.session_id, s.last_seq, coalesce(m.indexed_seq, 0) AS indexed_seq
     FROM sessions AS s LEFT JOIN search_marks AS m USING (session_id)
     WHERE s.session_id > ? ORDER BY s.session_id LIMIT ${SCANNED_A_READ}`,
  )

  const selectMatches = db.prepare(
    `SELECT rowid / ${TEXTS_PER_SESSION} AS number, count(*) AS texts FROM
       (SELECT rowid FROM search_words WHERE search_words MATCH ? ORDER BY rowid DESC LIMIT ${MOST_MATCHES})
     GROUP BY 1`,
  )

  const mark = (sessionId: string): SearchMark | undefined => {
    const row = selectMark.get(sessionId)
    return row && markIn(row)
  }

  return {
    session(sessionId) {
      const row = selectSession.get(sessionId)
      return row && { userId: textIn(row, 'user_id'), lastSeq: integerIn(row, 'last_seq'), title: textIn(row, 'title') }
    },
    mark,
    add(sessionId, { tokens, indexedSeq }) {
      const session = selectSession.get(sessionId)
      // Deleted in the meantime.
      if (session === undefined) return
      const user = userWord(textIn(session, 'user_id'))
      const old = mark(sessionId) ?? markIn(insertMark.get(sessionId) ?? {})
      const first = old.number * TEXTS_PER_SESSION
      const title = foldTitle(textIn(session, 'title'))
      if (old.texts === 0 || title !== old.title) {
        if (old.texts > 0) deleteWords.run(first)
        insertWords.run(first, user, toSearchTokens(textIn(session, 'title')).join(' '))
      }
      const count = Math.max(1, old.texts)
      const isAdded = tokens.length > 0 && count < TEXTS_PER_SESSION
      if (isAdded) insertWords.run(first + count, user, tokens.join(' '))
      updateMark.run(Math.max(indexedSeq, old.indexedSeq), count + Number(isAdded), title, old.number)
    },
    removeSome(sessionId) {
      const old = mark(sessionId)
      if (old === undefined) return true
      const left = Math.max(0, old.texts - REMOVED_A_COMMIT)
      for (let text = left; text < old.texts; text++) deleteWords.run(old.number * TEXTS_PER_SESSION + text)
      if (left === 0) deleteMark.run(old.number)
      else updateMark.run(old.indexedSeq, left, old.title, old.number)
      return left === 0
    },
    behind(after) {
      const rows = selectBehind.all(after)
      const isBehind = (row: Row): boolean => integerIn(row, 'indexed_seq') < integerIn(row, 'last_seq')
      const last = rows.length < SCANNED_A_READ ? undefined : rows.at(-1)
      return {
        sessionIds: rows.filter(isBehind).map((row) => textIn(row, 'session_id')),
        next: last && textIn(last, 'session_id'),
      }
    },
    find(userId, terms) {
      let found: ReadonlySet<number> | undefined
      let isPartial = false
      for (const term of terms) {
        const matches = selectMatches.all(toMatch(userId, term))
        const texts = matches.reduce((sum, row) => sum + integerIn(row, 'texts'), 0)
        isPartial ||= texts === MOST_MATCHES
        const numbers = matches.map((row) => integerIn(row, 'number'))
        const before = found
        found = new Set(before === undefined ? numbers : numbers.filter((number) => before.has(number)))
      }
      return { numbers: [...(found ?? [])], isPartial }
    },
    clear() {
      // Does not use commands of the index, which may be too damaged for them.
      db.exec('DROP TABLE search_words')
      db.exec(
        `CREATE VIRTUAL TABLE search_words
         USING fts5 (user, words, content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '3')`,
      )
      db.exec('DELETE FROM search_marks')
    },
  }
}

function markIn(row: Row): SearchMark {
  return {
    number: integerIn(row, 'number'),
    indexedSeq: integerIn(row, 'indexed_seq'),
    texts: integerIn(row, 'texts'),
    title: textIn(row, 'title'),
  }
}

/** Letters and digits only, so that it is a single token in the index, unique to the user. */
const userWord = (userId: string): string => `u${Buffer.from(userId).toString('hex')}`

/** An expression of FTS5: https://sqlite.org/fts5.html#full_text_query_syntax. Tokens hold no quotation marks. */
function toMatch(userId: UserId, { tokens, isPrefix }: SearchTerm): string {
  return `user : "${userWord(userId)}" AND words : "${tokens.join(' ')}"${isPrefix ? '*' : ''}`
}
