import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { StartCase } from './config-cases.ts'
import { judgeStart } from './judge-start.ts'
import { tryStart } from './try-start.ts'

const PROGRAM = fileURLToPath(new URL('../../../polylogue', import.meta.url))
const AT_ONCE = 2
const USUAL_PATIENCE_MS = 5000
/** Where the machine is busy, a start takes as many times longer as anything else does. */
const PATIENCE_IN_BARE_RUNS = 8

/** Tries all of them. Returns what is wrong, a line each. */
const MORE_TRIES = 3

export async function runStarts(cases: readonly StartCase[]): Promise<readonly string[]> {
  const measurePatience = async () => Math.max(USUAL_PATIENCE_MS, PATIENCE_IN_BARE_RUNS * (await bareRunMs()))
  const usualMs = await measurePatience()
  const left = cases.toReversed()
  const complaints: string[] = []
  const work = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const { name, attempt, expected } = next
      const outcome = await tryStart(attempt)
      let again = outcome
      let patienceMs = usualMs
      // A busy machine is slow now and then; a start that is slow by itself is so each time.
      for (let more = MORE_TRIES; more > 0 && again.ms > patienceMs; more -= 1) {
        again = await tryStart(attempt)
        patienceMs = await measurePatience()
      }
      const found = judgeStart(again, expected, patienceMs)
      complaints.push(...found.map((complaint) => `${name}: ${complaint}`))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return complaints
}

async function bareRunMs(): Promise<number> {
  const startedAt = performance.now()
  await promisify(execFile)(PROGRAM, ['--version'])
  return performance.now() - startedAt
}
