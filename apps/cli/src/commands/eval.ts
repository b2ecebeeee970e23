import { CommandFailure } from '../command-failure.ts'
import { formatEvaluation } from '../eval/eval-table.ts'
import { FIXTURE_MODEL, runEvaluation } from '../eval/run-evaluation.ts'
import { EVAL_TASKS } from '../eval/tasks/tasks.ts'
import { ExitCode } from '../exit-code.ts'
import type { TaskResult } from '../eval/run-task.ts'
import { listenForInterruption } from '../interruption.ts'
import { createTerminal } from '../terminal.ts'

export interface EvalFlags {
  readonly model?: string
  readonly only?: string
  readonly jobs: number
  readonly allowUnconfined?: boolean
  readonly json?: boolean
}

export async function evaluate({ model, only, jobs, allowUnconfined = false, json }: EvalFlags): Promise<number> {
  const tasks = chooseTasks(only)
  const { stdout, stderr } = createTerminal(process)
  using interruption = listenForInterruption()
  const stop = new AbortController()
  interruption.stopBy(() => stop.abort())
  let done = 0
  const results = await runEvaluation({
    tasks,
    jobs,
    allowUnconfined,
    signal: stop.signal,
    ...(model !== undefined && { model }),
    told({ task, passed }) {
      done += 1
      if (stderr.isTerminal)
        stderr.write(`${stderr.dim(`${done}/${tasks.length} ${task}: ${passed ? 'pass' : 'FAIL'}`)}\n`)
    },
  })
  if (json) stdout.write(`${JSON.stringify({ model: model ?? FIXTURE_MODEL, results })}\n`)
  else stdout.write(formatEvaluation(results))
  if (!json && model === undefined)
    stderr.write('The answers are written by hand: this tests Polylogue, not a model.\n')
  const left = tasks.filter(({ name }) => !results.some(({ task, isUnasked }) => task === name && !isUnasked))
  if (left.length > 0) stderr.write(explainLeft(left, { tasks, results, model }))
  if (interruption.isRequested) return ExitCode.cancelled
  return left.length === 0 && results.every(({ passed }) => passed) ? ExitCode.done : ExitCode.failed
}

interface StoppedRun {
  readonly tasks: typeof EVAL_TASKS
  readonly results: readonly TaskResult[]
  readonly model: string | undefined
}

function explainLeft(left: typeof EVAL_TASKS, { tasks, results, model }: StoppedRun): string {
  const why = results.some(({ isUnasked }) => isUnasked) ? ', because the model could not be asked' : ''
  const names = left.map(({ name }) => name).join(',')
  const flags = [...(model === undefined ? [] : ['--model', model]), '--only', names]
  return `${left.length} of ${tasks.length} tasks were not run${why}. Go on with:\n  polylogue eval ${flags.join(' ')}\n`
}

function chooseTasks(only: string | undefined): typeof EVAL_TASKS {
  if (only === undefined) return EVAL_TASKS
  const names = only.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !EVAL_TASKS.some((task) => task.name === name))
  if (unknown === undefined) return EVAL_TASKS.filter(({ name }) => names.includes(name))
  const all = EVAL_TASKS.map(({ name }) => name).join(', ')
  throw new CommandFailure(`There is no task "${unknown}". There is: ${all}.`, ExitCode.usage)
}
