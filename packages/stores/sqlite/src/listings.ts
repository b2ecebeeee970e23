import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { ListingPage, ListingQuery } from '@polylogue/engine'
import { integerIn } from './rows.ts'
import { sessionIn } from './session-reads.ts'

export interface Listings {
  find(query: ListingQuery): ListingPage
}

interface Statements {
  readonly page: StatementSync
  readonly count: StatementSync
}

/** One pair of statements for each combination of conditions, made when it is first asked for. */
export function prepareListings(db: DatabaseSync): Listings {
  const prepared = new Map<string, Statements>()
  const statementsFor = (conditions: readonly string[], order: string): Statements => {
    const where = ['l.user_id = :user', ...conditions].join(' AND ')
    const known = prepared.get(`${where} ${order}`)
    if (known !== undefined) return known
    const made = {
      page: db.prepare(
        `SELECT s.session_id, s.summary, s.summary_crc FROM listings AS l JOIN sessions AS s USING (session_id)
         WHERE ${where} ORDER BY ${order}l.listed_at DESC, l.session_id DESC LIMIT :limit OFFSET :offset`,
      ),
      count: db.prepare(`SELECT count(*) AS total FROM listings AS l WHERE ${where}`),
    }
    prepared.set(`${where} ${order}`, made)
    return made
  }

  return {
    find({ userId, directory, title, isStarted, order = 'pinned-first', offset, limit }) {
      const conditions: string[] = []
      const values: Record<string, SQLInputValue> = { user: userId }
      if (directory !== undefined) {
        conditions.push('l.directory = :directory')
        values['directory'] = directory
      }
      if (isStarted === true) conditions.push('l.is_started = 1')
      if (title !== undefined) {
        conditions.push(String.raw`l.title LIKE :title ESCAPE '\'`)
        values['title'] = `%${title.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
      }
      const { page, count } = statementsFor(conditions, order === 'pinned-first' ? 'l.is_pinned DESC, ' : '')
      const rows = page.all({ ...values, limit: Math.max(0, limit), offset: Math.max(0, offset) })
      return { rows: rows.map(sessionIn), total: integerIn(count.get(values) ?? {}, 'total') }
    },
  }
}
