import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Injection, databaseFiles, failCalls, wasInjected } from '../strace-flags.ts'
import { playThroughErrors } from '../workload/play-through-errors.ts'

export interface FailedCall {
  /** `false` when the program made fewer calls of this kind. */
  readonly wasInjected: boolean
  readonly problems: readonly string[]
}

/** Makes one system call of a store fail with EIO. */
export async function failCall(injection: Injection): Promise<FailedCall> {
  const directory = await mkdtemp(join(tmpdir(), 'polylogue-eio-'))
  try {
    const file = join(directory, 'polylogue.db')
    const trace = join(directory, 'trace')
    const { problems } = await playThroughErrors(file, failCalls(injection, databaseFiles(file), trace))
    return { wasInjected: wasInjected(await readFile(trace, 'utf8')), problems }
  } finally {
    await rm(directory, { recursive: true })
  }
}
