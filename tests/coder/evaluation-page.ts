/** A row of the table in `docs/evaluation.md`. */
export interface PageRow {
  readonly task: string
  readonly about: string
  readonly result: string
  readonly steps: number
  readonly input: number
  readonly output: number
  readonly cost: number
}

const HEADING = ['task', 'what it exercises', 'result', 'steps', 'input', 'output', 'cost']

export function formatPage(rows: readonly PageRow[]): string {
  const passed = rows.filter(({ result }) => result === 'pass').length
  const sum = (pick: (row: PageRow) => number): number => rows.reduce((total, row) => total + pick(row), 0)
  const cells = rows.map(({ task, about, result, steps, input, output, cost }) => [
    ...[task, about, result],
    ...[steps, input, output].map(String),
    formatCost(cost),
  ])
  const total = [
    ...['**total**', '', `${passed}/${rows.length}`],
    ...[sum(({ steps }) => steps), sum(({ input }) => input), sum(({ output }) => output)].map(String),
    formatCost(sum(({ cost }) => cost)),
  ]
  return [HEADING, HEADING.map(() => '---'), ...cells, total].map((line) => `| ${line.join(' | ')} |`).join('\n')
}

const formatCost = (cost: number): string => `$${cost.toFixed(3)}`

/** The rows of the tasks, without the heading and the sums. */
export function readPage(page: string): readonly PageRow[] {
  return page.split('\n').flatMap((line) => {
    const [task, about = '', result = '', steps, input, output, cost = ''] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    if (task === undefined || cost.length < 2 || !cost.startsWith('$') || task.startsWith('**')) return []
    const counts = { steps: Number(steps), input: Number(input), output: Number(output), cost: Number(cost.slice(1)) }
    return [{ task, about, result, ...counts }]
  })
}
