import { sideBySide } from '../side-by-side.ts'
import { fillServer } from './fill-server.ts'
import { limitFileSize } from './limit-file-size.ts'
import { mountSmallDisk } from './small-disk.ts'

export interface FilledDisks {
  readonly count: number
  /** The failed runs, with their disk size. */
  readonly failed: readonly string[]
}

/** Runs a server on a disk of each size. Without the right to mount, it limits the file size of a store instead. */
export async function fillDisks(kibibytes: readonly number[], width: number): Promise<FilledDisks> {
  const outcomes = await sideBySide(kibibytes, width, async (size) => {
    const disk = await mountSmallDisk(size * 1024)
    if (disk === undefined) return named(`files of ${size / 4} blocks`, await limitFileSize(size / 4))
    try {
      return named(`a disk of ${size} KiB`, await fillServer(disk, size * 1024))
    } finally {
      await disk.remove()
    }
  })
  return { count: kibibytes.length, failed: outcomes.flat() }
}

/** A store with a limited file size, in blocks. */
export async function limitFiles(blocks: readonly number[], width: number): Promise<FilledDisks> {
  const outcomes = await sideBySide(blocks, width, async (limit) =>
    named(`files of ${limit} blocks`, await limitFileSize(limit)),
  )
  return { count: blocks.length, failed: outcomes.flat() }
}

const named = (what: string, problems: readonly string[]): readonly string[] =>
  problems.length === 0 ? [] : [`${what}: ${problems.join('; ')}`]
