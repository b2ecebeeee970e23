import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { createTempDir } from '../../support/temp-dir.ts'
import { runProgram } from '../run-program.ts'
import { type Injection, databaseFiles, killAtCall } from '../strace-flags.ts'
import { type GoldenLog, readStates, restoreGoldenLog } from './golden-log.ts'

export interface KilledMigration {
  /** `false` when it was done before that call. */
  readonly wasKilled: boolean
  readonly problems: readonly string[]
}

/** Kills a process in the middle of making a database, or of bringing a golden log up to date; then opens it again. */
export async function killMigration(injection: Injection, log?: GoldenLog): Promise<KilledMigration> {
  const temp = await createTempDir()
  try {
    const directory = join(temp.path, 'data')
    mkdirSync(directory, { mode: 0o700 })
    const file = join(directory, 'polylogue.db')
    if (log !== undefined) restoreGoldenLog(log, file)
    const through = killAtCall(injection, databaseFiles(file), join(temp.path, 'trace'))
    const lines = await runProgram('die-while-migrating', [file, '0'], { through }).remainingLines()
    const states = await readStates(file).catch((error: unknown) => String(error))
    const isWhole = isDeepStrictEqual(states, log?.states ?? {})
    return {
      wasKilled:
        !lines.includes('opened') || readFileSync(join(temp.path, 'trace'), 'utf8').includes('killed by SIGKILL'),
      problems: isWhole ? [] : [`${log?.name ?? 'a new database'} then has ${JSON.stringify(states)}`],
    }
  } finally {
    await temp.remove()
  }
}
