import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { makeDataDir, removeDataDir } from './child-server.ts'
import { percentile } from './bench-result.ts'

const PAGE_BYTES = 4096

export interface DiskSync {
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Writes a page and syncs it, `times` times with pauses. The part of a commit that no program can make faster. */
export async function measureDiskSync(times: number, pauseMs: number): Promise<DiskSync> {
  const directory = await makeDataDir()
  const file = await open(join(directory, 'sync'), 'w')
  const page = Buffer.alloc(PAGE_BYTES, 1)
  const took: number[] = []
  try {
    for (let index = 0; index < times; index++) {
      await setTimeout(pauseMs)
      const startedAt = performance.now()
      await file.write(page, 0, PAGE_BYTES, 0)
      await file.sync()
      took.push(performance.now() - startedAt)
    }
  } finally {
    await file.close()
    await removeDataDir(directory)
  }
  return { p50Ms: percentile(took, 0.5), p99Ms: percentile(took, 0.99) }
}
