import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { AskedPath } from './asked-path.ts'
import { atSpot } from './at-spot.ts'
import type { Confines } from './confines.ts'
import { openEntry, type Directory } from './directory.ts'
import { FileProblem } from './file-problem.ts'

export interface OpenFile {
  readonly handle: FileHandle
  readonly stats: BigIntStats
  /** Where it is, links resolved. */
  readonly path: string
}

export interface FileBytes {
  readonly bytes: Buffer
  /** The size of the whole file. Less may have been read. */
  readonly size: number
  readonly stats: BigIntStats
}

/** The file is open as long as `use` runs. Directories and missing files are problems. */
export async function openConfined<Result>(
  confines: Confines,
  asked: AskedPath,
  use: (file: OpenFile) => Promise<Result>,
): Promise<Result> {
  return atSpot(confines, asked, async (spot) => {
    if (spot.kind === 'absent') throw new FileProblem('failed', `path: ${asked.shown} does not exist`)
    if (spot.kind === 'directory') throw new FileProblem('failed', `path: ${asked.shown} is a directory`)
    return openFileIn(spot.directory, spot.name, async ({ handle, stats }) => {
      if (confines.isHiddenTwin(spot.path, stats))
        throw new FileProblem('outside', `path: ${asked.shown} is outside of the workspace`)
      const twin = confines.guardedTwin(spot.path, stats)
      if (twin !== undefined && !confines.isOpen(twin, 'read'))
        throw new FileProblem('guarded', `path: ${asked.shown} is protected: this call was not allowed to touch it`)
      if (!stats.isFile()) throw new FileProblem('not-ordinary', `path: ${asked.shown} is not an ordinary file`)
      return use({ handle, stats, path: spot.path })
    })
  })
}

export async function openFileIn<Result>(
  directory: Directory,
  name: string,
  use: (entry: { readonly handle: FileHandle; readonly stats: BigIntStats }) => Promise<Result>,
): Promise<Result> {
  const handle = await openEntry(directory, name)
  try {
    return await use({ handle, stats: await handle.stat({ bigint: true }) })
  } finally {
    await handle.close()
  }
}

/**
 * Reads at most the size at opening, so a growing file does not block, and a file that the kernel generates on reading
 * (`/proc/self/environ`) is empty.
 */
export async function readBytes({ handle, stats }: Omit<OpenFile, 'path'>, most: number): Promise<FileBytes> {
  const size = Number(stats.size)
  const bytes = Buffer.allocUnsafe(Math.min(size, most))
  let length = 0
  while (length < bytes.length) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return { bytes: bytes.subarray(0, length), size, stats }
}
