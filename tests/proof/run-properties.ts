import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))

export interface PropertyRun {
  readonly tests: number
  /** Each with the seed that reproduces it. */
  readonly complaints: readonly string[]
}

/** The part of vitest's report that is used. */
export interface Report {
  readonly numTotalTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

/** Runs test files like `npm test`, with this seed. */
export async function runProperties(files: readonly string[], seed: string): Promise<PropertyRun> {
  // Remove the variables of the outer run: tests and vitest must not see that they run inside a proof.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:VITEST|TEST$|NODE_ENV$|POLYLOGUE_PROOF_)/.test(name)),
  )
  const directory = await mkdtemp(join(tmpdir(), 'polylogue-properties-'))
  const file = join(directory, 'report.json')
  const reporters = ['--reporter=json', `--outputFile.json=${file}`]
  try {
    const child = spawn(process.execPath, [VITEST, 'run', '--config', 'vitest.config.ts', ...reporters, ...files], {
      cwd: ROOT,
      env: { ...env, POLYLOGUE_SEED: seed },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [errors] = await Promise.all([text(child.stderr), once(child, 'close')])
    const report = await readFile(file, 'utf8').then(
      (read) => JSON.parse(read) as Report,
      () => undefined,
    )
    if (report === undefined || report.numTotalTests === 0) {
      return { tests: 0, complaints: [`seed ${seed}: no test ran: ${errors}`] }
    }
    return { tests: report.numTotalTests, complaints: complaintsIn(report, seed) }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

export function complaintsIn({ testResults }: Pick<Report, 'testResults'>, seed: string): readonly string[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed')
    if (status === 'failed' && failed.length === 0) return [`seed ${seed}: ${name}: ${message}`]
    return failed.map(({ fullName, failureMessages }) => `seed ${seed}: ${fullName}: ${failureMessages.join('\n')}`)
  })
}
