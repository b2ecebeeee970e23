import {
  DAY_MS,
  type Clock,
  type Spending,
  type UsageGrouping,
  type UsageQuery,
  type UsageStore,
} from '@polylogue/engine'
import { createUsageGroups, integerIn, textIn, type Row } from '@polylogue/store-rows'
import type { Database, Query } from './database.ts'
import type { HeavyReads } from './heavy-reads.ts'

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

const SUMS = `count(*) AS calls, count(*) FILTER (WHERE u.is_told = 0) AS untold,
  count(*) FILTER (WHERE u.is_told = 1 AND u.nano IS NULL) AS unpriced, max(u.at) AS last_at,
  sum(u.input_tokens)::int8 AS input, sum(u.output_tokens)::int8 AS output, sum(u.cached_input_tokens)::int8 AS cached,
  sum(u.cache_write_tokens)::int8 AS written, sum(u.reasoning_tokens)::int8 AS reasoning, u.currency AS currency,
  coalesce(sum(u.nano), 0)::int8 AS nano`

/** No append takes this long, so what is older does not change any more. */
const SETTLED_AFTER_MS = 60 * 60_000
const MOST_KNOWN = 1_000
const NOTHING: Spending = { calls: 0, tokens: 0, nano: {} }

/** What a key has spent in a time that is over. */
interface Settled {
  readonly fromDay: number
  readonly until: number
  readonly spent: Spending
}

export interface UsageParts {
  readonly db: Database
  readonly heavy: HeavyReads
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Adds up the rows of calls. There are no rows per day, because nodes would wait for each other to update them. A budget is asked for before
 * each model call, so the process remembers sums of hours that are over.
 */
export function createPostgresUsageStore({ db, heavy, clock }: UsageParts): UsageStore {
  const known = new Map<string, Settled>()
  return {
    async sumUsage(query) {
      const by = [...new Set(query.by)]
      const { where, values } = conditionsOf(query)
      const columns = by.map((name) => `${COLUMNS[name]} AS by_${name}`)
      const groups = [...by.map((name) => COLUMNS[name]), 'u.currency']
      const text = `SELECT ${[...columns, SUMS].join(', ')} FROM polylogue.usage AS u
        LEFT JOIN polylogue.sessions AS s ON s.session_id = u.session_id ${where} GROUP BY ${groups.join(', ')}`
      const sums = createUsageGroups(by)
      const { userId } = query
      const read = (run: Query): Promise<readonly Row[]> => run({ text, values })
      sums.add(
        await heavy.run(userId ?? '', () => (userId === undefined ? db.asSystem(read) : db.asUser(userId, read))),
      )
      return sums.list().slice(0, Math.max(0, query.limit))
    },
    async spentWithKey(keyId, fromDay) {
      const before = known.get(keyId)
      const settledUntil = Math.floor(clock.now() / SETTLED_AFTER_MS - 1) * SETTLED_AFTER_MS
      const isUsable = before?.fromDay === fromDay && before.until <= settledUntil
      const { until, spent } = isUsable ? before : { until: fromDay * DAY_MS, spent: NOTHING }
      const text = `SELECT at < $3 AS is_settled, coalesce(currency, '') AS currency, count(*) AS calls,
          sum(input_tokens + output_tokens)::int8 AS tokens, coalesce(sum(nano), 0)::int8 AS nano
        FROM polylogue.usage WHERE key_id = $1 AND at >= $2 GROUP BY 1, 2`
      const values = [keyId, until, settledUntil]
      const rows = await db.asSystem((run) => run({ name: 'spent_with_key', text, values }))
      const isSettled = (row: Row): boolean => row['is_settled'] === true
      const settled = rows.filter(isSettled).reduce(addRow, spent)
      known.delete(keyId)
      if (settledUntil > until) known.set(keyId, { fromDay, until: settledUntil, spent: settled })
      else if (isUsable) known.set(keyId, before)
      const [oldest] = known.keys()
      if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest)
      return rows.filter((row) => !isSettled(row)).reduce(addRow, settled)
    },
  }
}

function addRow(spent: Spending, row: Row): Spending {
  const currency = textIn(row, 'currency')
  return {
    calls: spent.calls + integerIn(row, 'calls'),
    tokens: spent.tokens + integerIn(row, 'tokens'),
    nano:
      currency === ''
        ? spent.nano
        : { ...spent.nano, [currency]: (spent.nano[currency] ?? 0) + integerIn(row, 'nano') },
  }
}

function conditionsOf({ userId, keyId, sessionId, turnId, from, until }: UsageQuery) {
  const values: unknown[] = []
  const conditions: string[] = []
  const add = (condition: string, value: unknown): void => {
    if (value !== undefined) conditions.push(condition.replace('?', `$${values.push(value)}`))
  }
  add('u.user_id = ?', userId)
  add('u.key_id = ?', keyId)
  add('s.session_id = ?', sessionId)
  add('s.session_id IS NOT NULL AND u.turn_id = ?', turnId)
  add('u.at >= ?', from)
  add('u.at < ?', until)
  return { where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values }
}
