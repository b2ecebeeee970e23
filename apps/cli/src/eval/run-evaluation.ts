import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandFailure } from '../command-failure.ts'
import { ExitCode } from '../exit-code.ts'
import { withOwner, type Owner } from '../with-owner.ts'
import { collectParts } from './answer-player.ts'
import type { EvalTask } from './eval-task.ts'
import { startFixtureModel } from './fixture-model.ts'
import { runTask, type TaskResult } from './run-task.ts'

export interface EvaluationOptions {
  readonly tasks: readonly EvalTask[]
  /** Such as `openai/gpt-5`. Absent: the answers written by hand. */
  readonly model?: string
  /** How many tasks run at a time. */
  readonly jobs: number
  /** Run a real model where no sandbox works. */
  readonly allowUnconfined: boolean
  /** Ends the tasks that run and begins no others. */
  readonly signal: AbortSignal
  /** Called after each task. */
  told(result: TaskResult): void
}

export const FIXTURE_MODEL = 'fixture/hand-written'

const CONFIG = 'polylogue.config.json'
const CONFIG_FAULT = `${CONFIG}: defaultModel: `

/** Made up, so that the column has figures. */
const FIXTURE_PRICE = { input: 1, output: 4 }

/**
 * Results in the order of the tasks, without those that were not run to their end: after a signal, or after the model could not be
 * asked. Everything happens in a temporary folder, which is removed.
 */
export async function runEvaluation(options: EvaluationOptions): Promise<readonly TaskResult[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'polylogue-eval-')))
  const fixture = options.model === undefined ? await startFixtureModel(collectParts(options.tasks)) : undefined
  // The instructions and the trusted files of whoever runs this must neither change the result nor be changed by it.
  process.env['XDG_CONFIG_HOME'] = join(folder, 'config')
  try {
    const config = join(folder, CONFIG)
    await writeFile(config, JSON.stringify(describeModel(options.model, fixture?.baseUrl)))
    return await withOwner({ data: join(folder, 'data'), config }, async (owner) => {
      if (options.model !== undefined && !options.allowUnconfined) await requireSandbox(owner)
      return await runTasks(options, owner, join(folder, 'work'))
    })
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes(CONFIG_FAULT)) throw error
    // The user wrote no such file.
    const why = error.message.slice(error.message.indexOf(CONFIG_FAULT) + CONFIG_FAULT.length)
    throw new CommandFailure(`--model ${options.model}: ${why}`, ExitCode.usage, { cause: error })
  } finally {
    await fixture?.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function describeModel(model: string | undefined, baseUrl: string | undefined): object {
  if (model !== undefined) return { defaultModel: model }
  return {
    defaultModel: FIXTURE_MODEL,
    providers: { fixture: { baseUrl } },
    prices: { [FIXTURE_MODEL]: FIXTURE_PRICE },
  }
}

/** Commands of a real model are approved unseen. */
async function requireSandbox({ console }: Owner): Promise<void> {
  const { sandbox } = await console.readStatus()
  if (sandbox !== 'none') return
  throw new CommandFailure(
    'No sandbox works here, and the commands of the model would run unseen with all your rights. Install bubblewrap, or ' +
      'give --allow-unconfined in a container.',
  )
}

async function runTasks(
  { tasks, jobs, told, signal }: EvaluationOptions,
  owner: Owner,
  work: string,
): Promise<readonly TaskResult[]> {
  const results = new Map<EvalTask, TaskResult>()
  const waiting = [...tasks]
  const runNext = async (): Promise<void> => {
    for (let task = waiting.shift(); task !== undefined && !signal.aborted; task = waiting.shift()) {
      const folder = join(work, task.name)
      await mkdir(folder, { recursive: true })
      const result = await runTask(task, { owner, folder, signal })
      if (signal.aborted) break
      // Every other task would fail in the same way.
      if (result.isUnasked) waiting.length = 0
      results.set(task, result)
      told(result)
    }
  }
  await Promise.all(Array.from({ length: jobs }, runNext))
  return tasks.flatMap((task) => results.get(task) ?? [])
}
