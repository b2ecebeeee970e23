import type { StorageInspection } from '@polylogue/engine'
import { systemClock } from '../system-clock.ts'
import { openSqliteStores } from '@polylogue/store-sqlite'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSeededRandom } from '../seeded-random.ts'
import { type Played, checkStored, readSaid } from '../workload/check-stored.ts'
import type { FileOperation } from './file-operation.ts'
import { type Image, createSimulatedDisk } from './simulated-disk.ts'

export interface Replay {
  readonly operations: readonly FileOperation[]
  readonly played: Played
  readonly seed: string
  readonly images: number
}

export interface BadImage {
  /** Operations before the power loss. */
  readonly after: number
  readonly image: number
  readonly problems: readonly string[]
}

/**
 * Simulates `images` power losses, spread evenly over the operations, and opens the remaining files each time. Returns
 * the images that lost acknowledged data.
 */
export async function replayPowerLoss({ operations, played, seed, images }: Replay): Promise<readonly BadImage[]> {
  const bad: BadImage[] = []
  const disk = createSimulatedDisk()
  const said: string[] = []
  let done = 0
  // In memory if possible: these files need not survive, and a real disk is slower.
  const stage = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'polylogue-image-'))
  try {
    for (let image = 0; image < images; image++) {
      const after = Math.floor(((image + 1) * operations.length) / images)
      for (const operation of operations.slice(done, after)) {
        disk.apply(operation)
        if (operation.type === 'say') said.push(operation.line)
      }
      done = after
      const directory = join(stage, String(image))
      const files = disk.imageAfterPowerLoss(createSeededRandom(`${seed}/${image}`))
      const problems = await checkImage(directory, files, { said, played })
      if (problems.length > 0) bad.push({ after, image, problems })
    }
    return bad
  } finally {
    await rm(stage, { recursive: true })
  }
}

async function checkImage(
  directory: string,
  files: Image,
  { said, played }: { readonly said: readonly string[]; readonly played: Played },
): Promise<readonly string[]> {
  await mkdir(directory)
  for (const [name, bytes] of files) await writeFile(join(directory, name), bytes)
  const file = join(directory, 'polylogue.db')
  try {
    const { events, inspect, close } = await openSqliteStores({ file, clock: systemClock })
    try {
      const problems = await checkStored(events, readSaid(said), played)
      return [...problems, ...(await integrityOf(await inspect()))]
    } finally {
      await close()
    }
  } catch (error) {
    return [`it cannot be opened: ${String(error)}`]
  } finally {
    await rm(directory, { recursive: true })
  }
}

async function integrityOf(inspection: StorageInspection): Promise<readonly string[]> {
  try {
    return await inspection.integrity()
  } finally {
    await inspection.close()
  }
}
