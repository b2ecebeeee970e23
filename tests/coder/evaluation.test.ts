import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runPolylogue } from '../cli/run-polylogue.ts'
import { startToolCallingServer } from '../models/tool-calling-server.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { formatPage, readPage, type PageRow } from './evaluation-page.ts'
import { REGRESSIONS, RUNS, redBy } from './regressions.ts'
import { findRed, runEvaluation } from './run-evaluation.ts'

const AT_A_TIME = 2

let dir: TempDir
beforeAll(async () => {
  dir = await createTempDir()
})
afterAll(() => dir.remove())

const evaluate = (args?: readonly string[], environment?: Record<string, string>) =>
  runEvaluation(dir.path, args, environment)

/** Does `work` for every item, a few at a time, and keeps their order. */
async function each<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  const open = [...items.entries()]
  const next = async (): Promise<void> => {
    for (let entry = open.shift(); entry !== undefined; entry = open.shift()) results[entry[0]] = await work(entry[1])
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, next))
  return results
}

describe('polylogue eval', () => {
  it('passes with the answers that are written by hand, as docs/evaluation.md says', { timeout: 180_000 }, async () => {
    const { code, model, results } = await evaluate()
    expect(results.filter(({ passed }) => !passed)).toEqual([])
    expect({ code, model }).toEqual({ code: 0, model: 'fixture/hand-written' })
    const rows = results.map(({ task, about, passed, usage }): PageRow => ({
      task,
      about,
      result: passed ? 'pass' : 'FAIL',
      steps: usage.calls,
      input: usage.inputTokens,
      output: usage.outputTokens,
      cost: usage.cost['USD'] ?? 0,
    }))
    const page = await readFile(fileURLToPath(new URL('../../docs/evaluation.md', import.meta.url)), 'utf8')
    const written = readPage(page)
    // The prompt names the machine and its sandbox, so its length differs from place to place.
    const isNear = (one: number, other: number): boolean => Math.abs(one - other) <= 0.2 * Math.max(one, other) + 5
    const stale =
      written.length !== rows.length ||
      rows.some((row, index) => {
        const old = written[index]
        if (old === undefined || old.task !== row.task || old.about !== row.about) return true
        if (old.result !== row.result || old.steps !== row.steps || old.output !== row.output) return true
        return !isNear(old.input, row.input)
      })
    expect(stale ? `replace the table of docs/evaluation.md by\n${formatPage(rows)}` : 'current').toBe('current')
  })

  it('asks the model that is named, and fails the task that it did not do', { timeout: 120_000 }, async () => {
    const prompt = 'sum() in sum.mjs leaves out the last number. Please fix it.'
    const idle = await startToolCallingServer({ [prompt]: [{ text: 'It is fine as it is.' }] })
    const args = ['--only', 'off-by-one', '--model', 'lazy/one']
    const { code, model, results } = await evaluate(args, { LAZY_BASE_URL: idle.baseUrl })
    await idle.stop()
    expect(idle.asked).toHaveLength(1)
    expect({ code, model }).toEqual({ code: 1, model: 'lazy/one' })
    const why = expect.stringContaining('AssertionError')
    expect(results).toMatchObject([{ task: 'off-by-one', passed: false, why, usage: { calls: 1 } }])
  })

  it('refuses tasks that do not exist', async () => {
    const { code, stderr } = await runPolylogue(['eval', '--only', 'none'], { cwd: dir.path })
    expect(code).toBe(2)
    expect(stderr).toMatch(/There is no task "none"\. There is: off-by-one, /)
  })
})

describe('planted regressions in the prompt, in tools and in the loop', () => {
  it('are at least ten, and each is in a run in which nothing else turns its task red', () => {
    expect(REGRESSIONS.length).toBeGreaterThanOrEqual(10)
    const unproved = REGRESSIONS.filter(
      (one) => !RUNS.some((run) => run.includes(one) && !redBy(run.filter((other) => other !== one)).has(one.task)),
    )
    expect(unproved).toEqual([])
  })

  it('turn their tasks red, and no others', { timeout: 300_000 }, async () => {
    const tasks = REGRESSIONS.map(({ task }) => task)
    const red = await each(RUNS, (planted) => findRed(dir.path, planted, tasks))
    expect(red.map((names) => new Set(names))).toEqual(RUNS.map(redBy))
  })
})
