import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TEST_FILE, type EvalTask } from './eval-task.ts'

export interface Checked {
  readonly passed: boolean
  /** Why not, in a line. */
  readonly why?: string
}

const LONGEST_CHECK_MS = 20_000

/**
 * Runs the task's own test, whatever the model has made of it. It runs code that a model wrote, so it may read the
 * repository, and may neither write nor start programs. It has no environment.
 */
export async function checkTask({ files }: EvalTask, folder: string): Promise<Checked> {
  await writeFile(join(folder, TEST_FILE), files[TEST_FILE] ?? '')
  const args = ['--permission', `--allow-fs-read=${folder}`, TEST_FILE]
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, env: {}, timeout: LONGEST_CHECK_MS }, (error, _stdout, stderr) =>
      resolve(error === null ? { passed: true } : { passed: false, why: findReason(stderr) ?? error.message }),
    )
  })
}

function findReason(stderr: string): string | undefined {
  return stderr
    .split('\n')
    .find((line) => /^\s*(?:\w*Error|AssertionError)\b/.test(line))
    ?.trim()
}
