import { DAY_MS, type Spending, type UsageGrouping, type UsageQuery, type UsageStore } from '@polylogue/engine'
import { createUsageGroups, integerIn, textIn, type Row } from '@polylogue/store-rows'
import type { Database } from './database.ts'
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

/** Adds up the rows of calls. There are no rows per day, because nodes would wait for each other to update them. */
export function createPostgresUsageStore(db: Database, heavy: HeavyReads): UsageStore {
  return {
    async sumUsage(query) {
      const by = [...new Set(query.by)]
      const { where, values } = conditionsOf(query)
      const columns = by.map((name) => `${COLUMNS[name]} AS by_${name}`)
      const groups = [...by.map((name) => COLUMNS[name]), 'u.currency']
      const text = `SELECT ${[...columns, SUMS].join(', ')} FROM polylogue.usage AS u
        LEFT JOIN polylogue.sessions AS s ON s.session_id = u.session_id ${where} GROUP BY ${groups.join(', ')}`
      const sums = createUsageGroups(by)
      sums.add(await heavy.run(query.userId ?? '', () => db.asSystem((run) => run({ text, values }))))
      return sums.list().slice(0, Math.max(0, query.limit))
    },
    async spentWithKey(keyId, fromDay) {
      const text = `SELECT coalesce(currency, '') AS currency, count(*) AS calls,
          sum(input_tokens + output_tokens)::int8 AS tokens, coalesce(sum(nano), 0)::int8 AS nano
        FROM polylogue.usage WHERE key_id = $1 AND at >= $2 GROUP BY 1`
      const rows = await db.asSystem((run) => run({ name: 'spent_with_key', text, values: [keyId, fromDay * DAY_MS] }))
      return rows.reduce(addRow, { calls: 0, tokens: 0, nano: {} })
    },
  }
}

function addRow(spent: Spending, row: Row): Spending {
  const currency = textIn(row, 'currency')
  return {
    calls: spent.calls + integerIn(row, 'calls'),
    tokens: spent.tokens + integerIn(row, 'tokens'),
    nano: currency === '' ? spent.nano : { ...spent.nano, [currency]: integerIn(row, 'nano') },
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
