import { formatTable } from './table.ts'
import { toTerminalLine } from './terminal-text.ts'
import type { UsageAmounts, UsageAnswer, UsageLine } from './usage-wire.ts'

/** What usage may be grouped by, and what a line without the name is called. */
export const USAGE_GROUPINGS = {
  model: '(none)',
  day: '(none)',
  session: '(deleted)',
  turn: '(none)',
  'sub-agent': '(none)',
  step: '(deleted)',
  agent: '(none)',
  key: '(none)',
  user: '(none)',
  kind: '(none)',
} as const

export type UsageGroupingName = keyof typeof USAGE_GROUPINGS

export function formatUsage({ rows, total }: UsageAnswer, by: readonly UsageGroupingName[]): string {
  const hasTrees = rows.some(({ withSubAgents }) => withSubAgents !== undefined)
  const heading = [...by.map((grouping) => grouping.toUpperCase()), 'CALLS', 'INPUT', 'CACHED', 'OUTPUT', 'COST']
  const lines = rows.map((row) => [
    ...by.map((grouping) => nameOf(row, grouping)),
    ...amountsOf(row),
    ...(row.withSubAgents ? [costOf(row.withSubAgents)] : []),
  ])
  const sum = total === undefined ? [] : [[...by.map((_, index) => (index === 0 ? 'total' : '')), ...amountsOf(total)]]
  return formatTable([...heading, ...(hasTrees ? ['WITH SUB-AGENTS'] : [])], [...lines, ...sum])
}

function nameOf(row: UsageLine, grouping: UsageGroupingName): string {
  const found = grouping === 'sub-agent' ? row.subAgents?.join(' < ') : row[grouping]
  return toTerminalLine(found ?? USAGE_GROUPINGS[grouping])
}

function amountsOf(amounts: UsageAmounts): readonly string[] {
  const { calls, inputTokens, cachedInputTokens, outputTokens } = amounts
  return [...[calls, inputTokens, cachedInputTokens, outputTokens].map(String), costOf(amounts)]
}

/** What nobody knows the price of is a question mark, never a zero. */
function costOf({ cost, calls, unpricedCalls, untoldCalls }: UsageAmounts): string {
  const known = Object.entries(cost).map(([currency, amount]) => `${formatAmount(amount)} ${currency}`)
  const isUnknown = unpricedCalls > 0 || (untoldCalls === calls && known.length === 0)
  return [...known, ...(isUnknown ? ['?'] : [])].join(' + ')
}

/** As many digits after the point as a small amount needs to be told from nothing. */
function formatAmount(amount: number): string {
  if (amount === 0 || amount >= 0.01) return amount.toFixed(2)
  return amount.toFixed(Math.min(9, 1 - Math.floor(Math.log10(amount))))
}

/** What the figures leave out, in words. */
export function usageNotes({ total }: UsageAnswer): readonly string[] {
  if (total === undefined) return []
  const { unpricedCalls, untoldCalls } = total
  return [
    ...(unpricedCalls === 0
      ? []
      : [
          `${count(unpricedCalls)} no known price: their cost is not in these figures. Set prices in the configuration.`,
        ]),
    ...(untoldCalls === 0 ? [] : [`${count(untoldCalls)} been cut off before the provider said what they took.`]),
  ]
}

const count = (calls: number): string => (calls === 1 ? '1 call has' : `${calls} calls have`)
