import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TempDir {
  readonly path: string
  remove(): Promise<void>
}

export async function createTempDir(): Promise<TempDir> {
  const path = await mkdtemp(join(tmpdir(), 'polylogue-test-'))
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) }
}
