import type { UsageAmounts, UsageGrouping, UsageReport, UsageRow } from '@polylogue/console/client'
import { formatTable } from './table.ts'
import { toTerminalLine } from './terminal-text.ts'

/** What a line shows whose session or step was deleted. */
const DELETED = new Set<UsageGrouping>(['session', 'step'])

export function formatUsage({ rows, total }: UsageReport, by: readonly UsageGrouping[]): string {
  const hasTrees = rows.some(({ withSubAgents }) => withSubAgents !== undefined)
  const heading = [...by.map((grouping) => grouping.toUpperCase()), 'CALLS', 'INPUT', 'CACHED', 'OUTPUT', 'COST']
  const lines = rows.map((row) => [
    ...by.map((grouping) => nameOf(row, grouping)),
    ...amountsOf(row),
    ...(row.withSubAgents ? [formatCost(row.withSubAgents)] : []),
  ])
  const sum = total === undefined ? [] : [[...by.map((_, index) => (index === 0 ? 'total' : '')), ...amountsOf(total)]]
  return formatTable([...heading, ...(hasTrees ? ['WITH SUB-AGENTS'] : [])], [...lines, ...sum])
}

function nameOf(row: UsageRow, grouping: UsageGrouping): string {
  const found = grouping === 'sub-agent' ? row.subAgents?.join(' < ') : row[grouping]
  return toTerminalLine(found ?? (DELETED.has(grouping) ? '(deleted)' : '(none)'))
}

function amountsOf(amounts: UsageAmounts): readonly string[] {
  const { calls, inputTokens, cachedInputTokens, outputTokens } = amounts
  return [...[calls, inputTokens, cachedInputTokens, outputTokens].map(String), formatCost(amounts)]
}

/** An unknown price is a question mark, never a zero. */
export function formatCost({ cost, calls, unpricedCalls, untoldCalls }: UsageAmounts): string {
  const known = Object.entries(cost).map(([currency, amount]) => `${formatAmount(amount)} ${currency}`)
  const isUnknown = unpricedCalls > 0 || (untoldCalls === calls && known.length === 0)
  return [...known, ...(isUnknown ? ['?'] : [])].join(' + ')
}

/** Small amounts get enough digits to differ from zero. */
function formatAmount(amount: number): string {
  if (amount === 0 || amount >= 0.01) return amount.toFixed(2)
  return amount.toFixed(Math.min(9, 1 - Math.floor(Math.log10(amount))))
}

/** Sentences about the calls that the figures leave out. */
export function usageNotes({ total }: UsageReport): readonly string[] {
  if (total === undefined) return []
  const { unpricedCalls, untoldCalls } = total
  return [
    ...(unpricedCalls === 0
      ? []
      : [
          `${count(unpricedCalls)} no known price, so the cost leaves ${unpricedCalls === 1 ? 'it' : 'them'} out. Set prices in the configuration.`,
        ]),
    ...(untoldCalls === 0 ? [] : [`${count(untoldCalls)} been cut off before the provider reported their tokens.`]),
  ]
}

const count = (calls: number): string => (calls === 1 ? '1 call has' : `${calls} calls have`)
