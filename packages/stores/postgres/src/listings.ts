import {
  PAGE_BYTES,
  foldText,
  toSearchTerms,
  type ListingPage,
  type ListingQuery,
  type SearchTerm,
} from '@polylogue/engine'
import { integerIn, sessionIn } from '@polylogue/store-rows'
import type { Database } from './database.ts'

/** The user's sessions that match a query. Appends index the text themselves, so the index is always complete. */
export async function findSessions(db: Database, query: ListingQuery): Promise<ListingPage> {
  const { userId, directory, isStarted, order: wantedOrder = 'pinned-first', offset, limit } = query
  const values: unknown[] = [userId]
  const place = (value: unknown): string => `$${values.push(value)}`
  const conditions = ['l.user_id = $1']
  if (directory !== undefined) conditions.push(`l.directory = ${place(directory)}`)
  if (isStarted === true) conditions.push('l.is_started = 1')
  const wanted = (query.text ?? '').trim()
  if (wanted !== '') {
    const terms = toSearchTerms(wanted).map((term) => hasTerm(place(toPattern(term))))
    const title = `strpos(l.title, ${place(foldText(wanted))}) > 0`
    conditions.push(terms.length === 0 ? title : `(${title} OR (${terms.join(' AND ')}))`)
  }
  const from = `FROM polylogue.listings AS l WHERE ${conditions.join(' AND ')}`
  const first = wantedOrder === 'pinned-first' ? 'l.is_pinned DESC, ' : ''
  const order = `${first}l.listed_at DESC, l.session_id DESC`
  const page = `SELECT session_id, summary, summary_crc FROM (
      SELECT s.session_id, s.summary, s.summary_crc, row_number() OVER page AS place,
        sum(octet_length(s.summary)) OVER page AS bytes
      FROM (SELECT l.* ${from} ORDER BY ${order}
        LIMIT ${Math.max(0, Math.trunc(limit))} OFFSET ${Math.max(0, Math.trunc(offset))}) AS l
      JOIN polylogue.sessions AS s USING (user_id, session_id)
      WINDOW page AS (ORDER BY ${order})) AS paged
    WHERE place = 1 OR bytes <= ${PAGE_BYTES} ORDER BY place`
  return db.asUser(userId, async (run) => {
    const rows = await run({ text: page, values })
    const [count] = await run({ text: `SELECT count(*) AS total ${from}`, values })
    return { rows: rows.map(sessionIn), total: integerIn(count ?? {}, 'total') }
  })
}

const hasTerm = (pattern: string): string => `(l.title_words LIKE ${pattern} OR EXISTS (
  SELECT FROM polylogue.spoken_words AS w
  WHERE w.user_id = l.user_id AND w.session_id = l.session_id AND w.words LIKE ${pattern}))`

/** Words are separated by spaces. A prefix need not end at a space. */
function toPattern({ tokens, isPrefix }: SearchTerm): string {
  const words = tokens.join(' ').replaceAll(/[\\%_]/g, String.raw`\$&`)
  return `% ${words}${isPrefix ? '' : ' '}%`
}
