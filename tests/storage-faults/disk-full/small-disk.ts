import { execFile } from 'node:child_process'
import { mkdtemp, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A small in-memory filesystem that can fill up. */
export interface SmallDisk {
  readonly path: string
  resize(bytes: number): Promise<void>
  remove(): Promise<void>
}

/** `undefined` if this process may not mount. */
export async function mountSmallDisk(bytes: number): Promise<SmallDisk | undefined> {
  const path = await mkdtemp(join(tmpdir(), 'polylogue-disk-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'tmpfs', path])
  } catch {
    await rmdir(path)
    return undefined
  }
  return {
    path,
    async resize(size) {
      await run('mount', ['-o', `remount,size=${size}`, path])
    },
    async remove() {
      await run('umount', ['--lazy', path])
      await rmdir(path)
    },
  }
}
