import { z } from 'polylogue'
import { runPolylogue } from '../cli/run-polylogue.ts'
import type { Regression } from './regressions.ts'

const PLANT = new URL('plant-regression.ts', import.meta.url).href

const report = z.object({
  model: z.string(),
  results: z.array(
    z.object({
      task: z.string(),
      about: z.string(),
      passed: z.boolean(),
      why: z.string().optional(),
      usage: z.object({
        calls: z.number(),
        inputTokens: z.number(),
        outputTokens: z.number(),
        cost: z.record(z.string(), z.number()),
      }),
    }),
  ),
})

/** `polylogue eval --json` with these arguments. */
export async function runEvaluation(
  cwd: string,
  args: readonly string[] = [],
  environment: Record<string, string> = {},
) {
  const { stdout, stderr, code } = await runPolylogue(['eval', '--json', ...args], { cwd, environment })
  if (!stdout.startsWith('{')) throw new Error(`exit code ${code}: ${stderr}`)
  return { code, ...report.parse(JSON.parse(stdout)) }
}

/** Runs the tasks with these regressions in the sources. Returns those that fail. */
export async function findRed(
  cwd: string,
  planted: readonly Regression[],
  tasks: readonly string[],
): Promise<readonly string[]> {
  const { results } = await runEvaluation(cwd, ['--only', tasks.join(',')], {
    NODE_OPTIONS: `--import=${PLANT}`,
    PLANTED_EDITS: JSON.stringify(planted.map(({ edit }) => edit)),
  })
  return results.flatMap(({ task, passed }) => (passed ? [] : [task]))
}
