import type { UsageAmounts } from '@polylogue/console/client'
import { formatTable } from '../table.ts'
import { toTerminalLine } from '../terminal-text.ts'
import { formatCost } from '../usage-table.ts'
import type { TaskResult } from './run-task.ts'

const HEADING = ['TASK', 'RESULT', 'STEPS', 'INPUT', 'OUTPUT', 'COST']

/** One line for each task, the sums, and why tasks failed. */
export function formatEvaluation(results: readonly TaskResult[]): string {
  const passed = results.filter((result) => result.passed).length
  const sums = ['steps', 'input', 'output'].map((name) => String(sumOf(results, name)))
  const total = ['total', `${passed}/${results.length}`, ...sums, formatWholeCost(results)]
  const table = formatTable(HEADING, [...results.map(toRow), total])
  const reasons = results.flatMap(({ task, why }) => (why === undefined ? [] : [`${task}: ${toTerminalLine(why)}\n`]))
  return [table, ...(reasons.length > 0 ? ['\n', ...reasons] : [])].join('')
}

function toRow(result: TaskResult): readonly string[] {
  const { steps, input, output } = countsOf(result)
  const cost = result.usage === undefined ? '–' : formatCost(result.usage)
  return [result.task, result.passed ? 'pass' : 'FAIL', String(steps), String(input), String(output), cost]
}

/** A step is a call of the model. */
export function countsOf({ usage }: TaskResult): Readonly<Record<string, number>> {
  return { steps: usage?.calls ?? 0, input: usage?.inputTokens ?? 0, output: usage?.outputTokens ?? 0 }
}

/** By currency. A question mark stands for the calls without a known price. */
function formatWholeCost(results: readonly TaskResult[]): string {
  const used = results.flatMap(({ usage }) => usage ?? [])
  const [first, ...others] = used
  if (first === undefined) return '–'
  return formatCost(others.reduce(addUsage, first))
}

function addUsage(sum: UsageAmounts, more: UsageAmounts): UsageAmounts {
  const cost = new Map(Object.entries(sum.cost))
  for (const [currency, amount] of Object.entries(more.cost)) cost.set(currency, (cost.get(currency) ?? 0) + amount)
  return {
    ...sum,
    calls: sum.calls + more.calls,
    untoldCalls: sum.untoldCalls + more.untoldCalls,
    unpricedCalls: sum.unpricedCalls + more.unpricedCalls,
    cost: Object.fromEntries(cost),
  }
}

function sumOf(results: readonly TaskResult[], name: string): number {
  return results.reduce((sum, result) => sum + (countsOf(result)[name] ?? 0), 0)
}
