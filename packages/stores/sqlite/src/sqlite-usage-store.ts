import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  addSums,
  asEntryId,
  asLoopId,
  asSessionId,
  asTurnId,
  asUserId,
  type Spending,
  type UsageGrouping,
  type UsageQuery,
  type UsageStore,
  type UsageSum,
} from '@polylogue/engine'
import { damaged } from './damage.ts'
import type { GroupCommit } from './group-commit.ts'
import { type Row, integerIn, textIn } from './rows.ts'

export interface SqliteUsageStoreOptions {
  readonly db: DatabaseSync
  readonly commits: GroupCommit
}

const ofLivingSession = (column: string): string => `CASE WHEN s.session_id IS NULL THEN NULL ELSE u.${column} END`

/** What a group is known by. Of a deleted session nothing is told but what was spent. */
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
  day: 'u.at / 86400000',
}

const SUMS = `count(*) AS calls, total(u.is_told = 0) AS untold, total(u.is_told = 1 AND u.nano IS NULL) AS unpriced,
  sum(u.input_tokens) AS input, sum(u.output_tokens) AS output, sum(u.cached_input_tokens) AS cached,
  sum(u.cache_write_tokens) AS written, sum(u.reasoning_tokens) AS reasoning, u.currency AS currency,
  coalesce(sum(u.nano), 0) AS nano, max(u.at) AS last_at`
const MOST_ROWS = 100_000

export function createSqliteUsageStore({ db, commits }: SqliteUsageStoreOptions): UsageStore {
  const prepared = new Map<string, StatementSync>()
  const selectDays = db.prepare('SELECT currency, calls, tokens, nano FROM key_days WHERE key_id = ? AND day >= ?')

  const statementFor = (by: readonly UsageGrouping[], where: string): StatementSync => {
    const columns = by.map((name) => `${COLUMNS[name]} AS by_${name}`)
    const groups = [...by.map((name) => `by_${name}`), 'currency']
    const sql = `SELECT ${[...columns, SUMS].join(', ')} FROM usage AS u LEFT JOIN sessions AS s USING (session_id)
      ${where} GROUP BY ${groups.join(', ')} ORDER BY last_at DESC LIMIT ${MOST_ROWS}`
    const statement = prepared.get(sql) ?? db.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }

  return {
    sumUsage: (query) =>
      commits.read(() => {
        const by = [...new Set(query.by)]
        const { where, values } = conditionsOf(query)
        return merge(statementFor(by, where).all(values), by).slice(0, Math.max(0, query.limit))
      }),
    spentWithKey: (keyId, fromDay) =>
      commits.read(() => {
        let spent: Spending = { calls: 0, tokens: 0, nano: {} }
        for (const row of selectDays.all(keyId, fromDay)) spent = addDay(spent, row)
        return spent
      }),
  }
}

function conditionsOf({ userId, keyId, sessionId, turnId, from, until }: UsageQuery) {
  const values: Record<string, SQLInputValue> = {}
  const conditions: string[] = []
  const add = (condition: string, name: string, value: SQLInputValue | undefined): void => {
    if (value === undefined) return
    conditions.push(condition)
    values[name] = value
  }
  add('u.user_id = :user', 'user', userId)
  add('u.key_id = :key', 'key', keyId)
  add('s.session_id = :session', 'session', sessionId)
  add('s.session_id IS NOT NULL AND u.turn_id = :turn', 'turn', turnId)
  add('u.at >= :from', 'from', from)
  add('u.at < :until', 'until', until)
  return { where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values }
}

/** A group has one row for each currency, and one for calls without. */
function merge(rows: readonly Row[], by: readonly UsageGrouping[]): readonly UsageSum[] {
  const groups = new Map<string, UsageSum>()
  for (const row of rows) {
    const name = JSON.stringify(by.map((grouping) => row[`by_${grouping}`]))
    const before = groups.get(name)
    const sum = sumIn(row)
    groups.set(name, before === undefined ? { ...namesIn(row, by), ...sum } : addSums(before, sum))
  }
  return [...groups.values()].sort((one, other) => other.lastAt - one.lastAt)
}

function sumIn(row: Row): UsageSum {
  const currency = row['currency']
  return {
    calls: integerIn(row, 'calls'),
    untoldCalls: integerIn(row, 'untold'),
    unpricedCalls: integerIn(row, 'unpriced'),
    inputTokens: integerIn(row, 'input'),
    outputTokens: integerIn(row, 'output'),
    cachedInputTokens: integerIn(row, 'cached'),
    cacheWriteTokens: integerIn(row, 'written'),
    reasoningTokens: integerIn(row, 'reasoning'),
    nano: typeof currency === 'string' ? { [currency]: integerIn(row, 'nano') } : {},
    lastAt: integerIn(row, 'last_at'),
  }
}

function namesIn(row: Row, by: readonly UsageGrouping[]): Partial<UsageSum> {
  return Object.assign({}, ...by.map((grouping) => nameIn(row, grouping))) as Partial<UsageSum>
}

function nameIn(row: Row, grouping: UsageGrouping): Partial<UsageSum> {
  const column = `by_${grouping}`
  if (row[column] === null) return {}
  switch (grouping) {
    case 'user':
      return { userId: asUserId(textIn(row, column)) }
    case 'key':
      return { keyId: textIn(row, column) }
    case 'session':
      return { sessionId: asSessionId(textIn(row, column)) }
    case 'turn':
      return { turnId: asTurnId(textIn(row, column)) }
    case 'loop':
      return { loops: textIn(row, column).split(' ').map(asLoopId) }
    case 'call':
      return { callId: asEntryId(textIn(row, column)) }
    case 'agent':
      return { agent: textIn(row, column) }
    case 'model':
      return { model: textIn(row, column) }
    case 'kind':
      return { kind: kindIn(textIn(row, column)) }
    case 'day':
      return { day: integerIn(row, column) }
  }
}

function kindIn(kind: string): 'step' | 'compaction' {
  if (kind === 'step' || kind === 'compaction') return kind
  throw damaged(`A model call has the kind ${kind}.`)
}

function addDay(spent: Spending, row: Row): Spending {
  const currency = textIn(row, 'currency')
  const nano = currency === '' ? {} : { [currency]: (spent.nano[currency] ?? 0) + integerIn(row, 'nano') }
  return {
    calls: spent.calls + integerIn(row, 'calls'),
    tokens: spent.tokens + integerIn(row, 'tokens'),
    nano: { ...spent.nano, ...nano },
  }
}
