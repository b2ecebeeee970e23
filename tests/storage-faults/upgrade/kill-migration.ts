import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { createTempDir } from '../../support/temp-dir.ts'
import { runProgram } from '../run-program.ts'
import { type Injection, databaseFiles, killAtCall } from '../strace-flags.ts'
import { type GoldenLog, readStates, restoreGoldenLog } from './golden-log.ts'

export interface KilledMigration {
  /** `false` when the process finished before that call. */
  readonly wasKilled: boolean
  readonly problems: readonly string[]
}

/** Kills a process while it creates a database or upgrades a golden log, then opens the database again. */
export function killMigration(injection: Injection, log?: GoldenLog): Promise<KilledMigration> {
  return reopen(log, async (file, folder) => {
    const trace = join(folder, 'trace')
    const through = killAtCall(injection, databaseFiles(file), trace)
    const lines = await runProgram('die-while-migrating', [file, '0'], { through }).remainingLines()
    return !lines.includes('opened') || readFileSync(trace, 'utf8').includes('killed by SIGKILL')
  })
}

/** The same, but kills it before the migration with this number commits. */
export function killBetweenMigrations(step: number, log?: GoldenLog): Promise<KilledMigration> {
  return reopen(log, async (file) => {
    const lines = await runProgram('die-while-migrating', [file, String(step)]).remainingLines()
    return !lines.includes('opened')
  })
}

async function reopen(
  log: GoldenLog | undefined,
  kill: (file: string, folder: string) => Promise<boolean>,
): Promise<KilledMigration> {
  const temp = await createTempDir()
  try {
    const directory = join(temp.path, 'data')
    mkdirSync(directory, { mode: 0o700 })
    const file = join(directory, 'polylogue.db')
    if (log !== undefined) restoreGoldenLog(log, file)
    const wasKilled = await kill(file, temp.path)
    const states = await readStates(file).catch((error: unknown) => String(error))
    const isWhole = isDeepStrictEqual(states, log?.states ?? {})
    const problems = isWhole ? [] : [`${log?.name ?? 'a new database'} then has ${JSON.stringify(states)}`]
    return { wasKilled, problems }
  } finally {
    await temp.remove()
  }
}
