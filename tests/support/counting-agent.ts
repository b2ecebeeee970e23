import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTempDir } from './temp-dir.ts'

/** The agent `counting` of `counting.config.ts`, and the marks that its tools `count` and `linger` write. */
export interface CountingAgent {
  readonly configFile: string
  /** Tells the serving process the folder for marks. */
  readonly environment: Readonly<Record<string, string>>
  /** A new, unused input. */
  nextRun(): string
  timesRun(run: string): Promise<number>
  remove(): Promise<void>
}

const MARKS = 'POLYLOGUE_TEST_MARKS'

/** Also sets the variable in this process, for a server inside it. */
export async function prepareCountingAgent(): Promise<CountingAgent> {
  const marks = await createTempDir()
  process.env[MARKS] = marks.path
  return {
    configFile: fileURLToPath(new URL('counting.config.ts', import.meta.url)),
    environment: { [MARKS]: marks.path },
    nextRun: () => `run-${randomUUID()}`,
    async timesRun(run) {
      try {
        return (await readFile(join(marks.path, run), 'utf8')).length
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0
        throw error
      }
    },
    remove: () => marks.remove(),
  }
}
