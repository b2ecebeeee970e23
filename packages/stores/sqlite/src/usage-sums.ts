/**
 * Two ways to the same sums. Whole days are added up already. Single calls are read in pages, one query each, so that
 * other work runs in between. Rows are only added, so no call is missed or counted twice.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { DAY_MS, type UsageGrouping, type UsageQuery } from '@polylogue/engine'
import type { Row } from '@polylogue/store-rows'

export interface UsagePage {
  readonly rows: readonly Row[]
  /** Where the next page begins; absent after the last one. */
  readonly next?: readonly SQLInputValue[]
}

export interface UsageSums {
  ofDays(by: readonly UsageGrouping[], query: UsageQuery): readonly Row[]
  page(by: readonly UsageGrouping[], query: UsageQuery, after: readonly SQLInputValue[] | undefined): UsagePage
}

/** A few milliseconds of work. */
const PAGE = 2_000

const ofLivingSession = (column: string): string => `CASE WHEN s.session_id IS NULL THEN NULL ELSE u.${column} END`

/** The columns of a group. A deleted session has no id, only its usage. */
const COLUMNS: Readonly<Record<UsageGrouping, string>> = {
  user: 'u.user_id',
  key: 'u.key_id',
  session: 's.session_id',
  turn: ofLivingSession('turn_id'),
  loop: ofLivingSession('loops'),
  call: ofLivingSession('call_id'),
  agent: 'u.agent',
  model: 'u.model',
  kind: 'u.kind',
  day: `u.at / ${DAY_MS}`,
}

const DAY_GROUPINGS: ReadonlySet<UsageGrouping> = new Set(['user', 'key', 'agent', 'model', 'kind', 'day'])

const TOKENS = `sum(u.input_tokens) AS input, sum(u.output_tokens) AS output, sum(u.cached_input_tokens) AS cached,
  sum(u.cache_write_tokens) AS written, sum(u.reasoning_tokens) AS reasoning, u.currency AS currency,
  coalesce(sum(u.nano), 0) AS nano`
const OF_CALLS = `count(*) AS calls, total(u.is_told = 0) AS untold,
  total(u.is_told = 1 AND u.nano IS NULL) AS unpriced, max(u.at) AS last_at, ${TOKENS}`
const OF_DAYS = `sum(u.calls) AS calls, sum(u.untold) AS untold, sum(u.unpriced) AS unpriced,
  max(u.last_at) AS last_at, ${TOKENS}`

/** Whether the sums of whole days answer the query. */
export function isOfDays(
  by: readonly UsageGrouping[],
  { sessionId, turnId, from = 0, until = 0 }: UsageQuery,
): boolean {
  const isWhole = from % DAY_MS === 0 && until % DAY_MS === 0
  return (
    isWhole && sessionId === undefined && turnId === undefined && by.every((grouping) => DAY_GROUPINGS.has(grouping))
  )
}

export function prepareUsageSums(db: DatabaseSync): UsageSums {
  const prepared = new Map<string, StatementSync>()
  const prepare = (sql: string): StatementSync => {
    const statement = prepared.get(sql) ?? db.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }

  return {
    ofDays(by, { userId, keyId, from, until }) {
      const conditions = new Conditions()
        .add('u.user_id = :user', { user: userId })
        .add('u.key_id = :key', { key: keyId })
        .add('u.day >= :from', { from: from && from / DAY_MS })
        .add('u.day < :until', { until: until && until / DAY_MS })
      const columns = by.map((name) => `${name === 'day' ? 'u.day' : COLUMNS[name]} AS by_${name}`)
      const groups = [...by.map((name) => `by_${name}`), 'currency']
      const sql = `SELECT ${[...columns, OF_DAYS].join(', ')} FROM usage_days AS u ${conditions.where}
        GROUP BY ${groups.join(', ')}`
      return prepare(sql).all(conditions.values)
    },

    page(by, query, after) {
      const { place, order } = placeOf(query)
      const cursor = Object.fromEntries((after ?? []).map((value, index) => [`c${index}`, value]))
      const names = order.map((_, index) => `:c${index}`)
      if (after !== undefined) place.add(`(${order.join(', ')}) > (${names.join(', ')})`, {})
      const values = { ...place.values, ...cursor }
      const slice = `FROM usage ${place.where} ORDER BY ${order.join(', ')}`
      const last = prepare(`SELECT ${order.join(', ')} ${slice} LIMIT 1 OFFSET ${PAGE - 1}`).get(values)

      const rest = restOf(query)
      const columns = by.map((name) => `${COLUMNS[name]} AS by_${name}`)
      const groups = [...by.map((name) => `by_${name}`), 'currency']
      const sql = `SELECT ${[...columns, OF_CALLS].join(', ')}
        FROM (SELECT * ${slice} LIMIT ${PAGE}) AS u LEFT JOIN sessions AS s USING (session_id) ${rest.where}
        GROUP BY ${groups.join(', ')}`
      const rows = prepare(sql).all({ ...values, ...rest.values })
      return { rows, ...(last && { next: order.map((column) => last[column] ?? null) }) }
    },
  }
}

/** The conditions and the order of an index. Other conditions are checked row by row, so that a page stays bounded. */
function placeOf({ sessionId, userId, keyId, from, until }: UsageQuery) {
  const place = new Conditions()
  if (sessionId !== undefined) return { place: place.add('session_id = :s', { s: sessionId }), order: ['call_id'] }
  if (userId === undefined && keyId === undefined) return { place, order: ['session_id', 'call_id'] }
  place.add('at >= :f', { f: from }).add('at < :u', { u: until })
  if (keyId !== undefined) place.add('key_id = :k', { k: keyId })
  else place.add('user_id = :o', { o: userId })
  return { place, order: ['at', 'session_id', 'call_id'] }
}

function restOf({ userId, sessionId, turnId, from, until }: UsageQuery): Conditions {
  return new Conditions()
    .add('u.user_id = :user', { user: userId })
    .add('s.session_id = :session', { session: sessionId })
    .add('s.session_id IS NOT NULL AND u.turn_id = :turn', { turn: turnId })
    .add('u.at >= :from', { from })
    .add('u.at < :until', { until })
}

class Conditions {
  readonly values: Record<string, SQLInputValue> = {}
  readonly #conditions: string[] = []

  /** Omitted when its value is absent. */
  add(condition: string, value: Readonly<Record<string, SQLInputValue | undefined>>): this {
    for (const [name, given] of Object.entries(value)) {
      if (given === undefined) return this
      this.values[name] = given
    }
    this.#conditions.push(condition)
    return this
  }

  get where(): string {
    return this.#conditions.length === 0 ? '' : `WHERE ${this.#conditions.join(' AND ')}`
  }
}
