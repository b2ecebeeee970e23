import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  asSessionId,
  asUserId,
  foldText,
  toSearchTerms,
  type ListingPage,
  type ListingQuery,
  type StaleSession,
} from '@polylogue/engine'
import { integerIn, sessionIn, textIn } from '@polylogue/store-rows'
import { SUMMARY_COLUMNS, prepareArrays, takeSummaries } from './array-rows.ts'
import type { SearchRows } from './search-rows.ts'

export interface SizedPage {
  readonly page: ListingPage
  /** Of the summaries, about. */
  readonly size: number
}

export interface Listings {
  /** A text query finds what is in the search index. */
  find(query: ListingQuery): SizedPage
  stale(before: number, limit: number): readonly StaleSession[]
}

interface Statements {
  readonly page: StatementSync
  readonly count: StatementSync
}

/** One pair of statements for each combination of conditions, prepared on first use. */
export function prepareListings(db: DatabaseSync, search: Pick<SearchRows, 'find'>): Listings {
  const prepared = new Map<string, Statements>()
  const statementsFor = (conditions: readonly string[], order: string): Statements => {
    const where = ['l.user_id = :user', ...conditions].join(' AND ')
    const known = prepared.get(`${where} ${order}`)
    if (known !== undefined) return known
    const made = {
      page: prepareArrays(
        db,
        `SELECT ${SUMMARY_COLUMNS} FROM listings AS l JOIN sessions AS s USING (session_id)
         LEFT JOIN search_marks AS m USING (session_id)
         WHERE ${where} ORDER BY ${order}l.listed_at DESC, l.session_id DESC LIMIT :limit OFFSET :offset`,
      ),
      count: db.prepare(
        `SELECT count(*) AS total FROM listings AS l LEFT JOIN search_marks AS m USING (session_id) WHERE ${where}`,
      ),
    }
    prepared.set(`${where} ${order}`, made)
    return made
  }

  const selectStale = db.prepare(
    'SELECT user_id, session_id FROM listings WHERE listed_at < ? AND is_pinned = 0 ORDER BY listed_at, session_id LIMIT ?',
  )

  return {
    stale: (before, limit) =>
      selectStale.all(before, Math.max(0, limit)).map((row) => ({
        userId: asUserId(textIn(row, 'user_id')),
        sessionId: asSessionId(textIn(row, 'session_id')),
      })),
    find({ userId, directory, text = '', isStarted, order = 'pinned-first', offset, limit }) {
      const conditions: string[] = []
      const values: Record<string, SQLInputValue> = { user: userId }
      if (directory !== undefined) {
        conditions.push('l.directory = :directory')
        values['directory'] = directory
      }
      if (isStarted === true) conditions.push('l.is_started = 1')
      const wanted = text.trim()
      const { numbers, isPartial } = search.find(userId, toSearchTerms(wanted))
      if (wanted !== '') {
        conditions.push('(instr(m.title, :title) > 0 OR m.number IN (SELECT value FROM json_each(:numbers)))')
        values['title'] = foldText(wanted)
        values['numbers'] = JSON.stringify(numbers)
      }
      const { page, count } = statementsFor(conditions, order === 'pinned-first' ? 'l.is_pinned DESC, ' : '')
      const place = { limit: Math.max(0, limit), offset: Math.max(0, offset) }
      const { rows, size } = takeSummaries(page.iterate({ ...values, ...place }))
      const total = integerIn(count.get(values) ?? {}, 'total')
      return { page: { rows: rows.map(sessionIn), total, ...(isPartial && { isPartial }) }, size }
    },
  }
}
