import {
  addSums,
  asEntryId,
  asLoopId,
  asSessionId,
  asTurnId,
  asUserId,
  type UsageGrouping,
  type UsageSum,
} from '@polylogue/engine'
import { damaged } from './damage.ts'
import { type Row, integerIn, textIn } from './row.ts'

/** Adds up sums that arrive in pieces. */
export interface UsageGroups {
  /** Rows with a column `by_…` for each grouping, and one row for each currency of a group. */
  add(rows: readonly Row[]): void
  /** The group with the newest call first. */
  list(): readonly UsageSum[]
}

export function createUsageGroups(by: readonly UsageGrouping[]): UsageGroups {
  const groups = new Map<string, UsageSum>()
  return {
    add(rows) {
      for (const row of rows) {
        const name = JSON.stringify(by.map((grouping) => row[`by_${grouping}`]))
        const before = groups.get(name)
        const sum = sumIn(row)
        groups.set(name, before === undefined ? { ...namesIn(row, by), ...sum } : addSums(before, sum))
      }
    },
    list: () => [...groups.values()].sort((one, other) => other.lastAt - one.lastAt),
  }
}

function sumIn(row: Row): UsageSum {
  const currency = row['currency'] ?? ''
  return {
    calls: integerIn(row, 'calls'),
    untoldCalls: integerIn(row, 'untold'),
    unpricedCalls: integerIn(row, 'unpriced'),
    inputTokens: integerIn(row, 'input'),
    outputTokens: integerIn(row, 'output'),
    cachedInputTokens: integerIn(row, 'cached'),
    cacheWriteTokens: integerIn(row, 'written'),
    reasoningTokens: integerIn(row, 'reasoning'),
    nano: currency === '' ? {} : { [textIn(row, 'currency')]: integerIn(row, 'nano') },
    lastAt: integerIn(row, 'last_at'),
  }
}

function namesIn(row: Row, by: readonly UsageGrouping[]): Partial<UsageSum> {
  return Object.assign({}, ...by.map((grouping) => nameIn(row, grouping))) as Partial<UsageSum>
}

function nameIn(row: Row, grouping: UsageGrouping): Partial<UsageSum> {
  const column = `by_${grouping}`
  if (row[column] === null || row[column] === '') return {}
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
