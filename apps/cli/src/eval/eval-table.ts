import { formatTable } from '../table.ts'
import { toTerminalLine } from '../terminal-text.ts'
import { formatCost } from '../usage-table.ts'
import type { TaskResult } from './run-task.ts'

const HEADING = ['TASK', 'RESULT', 'STEPS', 'INPUT', 'OUTPUT', 'COST']

/** One line for each task, the sums, and why tasks failed. */
export function formatEvaluation(results: readonly TaskResult[]): string {
  const passed = results.filter((result) => result.passed).length
  const sums = ['steps', 'input', 'output'].map((name) => String(sumOf(results, name)))
  const table = formatTable(HEADING, [...results.map(toRow), ['total', `${passed}/${results.length}`, ...sums, '']])
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

function sumOf(results: readonly TaskResult[], name: string): number {
  return results.reduce((sum, result) => sum + (countsOf(result)[name] ?? 0), 0)
}
