import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { playThroughErrors } from '../workload/play-through-errors.ts'

/** A store with a limited file size, in blocks of 512 bytes. SQLite reports the limit as an I/O error. */
export async function limitFileSize(blocks: number): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'polylogue-limit-'))
  try {
    const limit = ['sh', '-c', `ulimit -f ${blocks}; exec "$@"`, 'sh']
    const { hasFailed, problems } = await playThroughErrors(join(directory, 'polylogue.db'), limit)
    return hasFailed ? problems : [...problems, 'the limit was never met']
  } finally {
    await rm(directory, { recursive: true })
  }
}
