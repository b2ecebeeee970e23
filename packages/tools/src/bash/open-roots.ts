// Keeps the roots of a session open while one command runs. Bubblewrap mounts them by descriptor, and a command without
// a sandbox starts in one of them. So swapping a folder name afterwards has no effect on the command.
import { resolve } from 'node:path'
import type { Workspace } from '@polylogue/engine'
import { confinement, listingPath, openRoot, type Directory } from '../files/directory.ts'

export interface OpenRoots {
  readonly directories: readonly Directory[]
  /** A path to the working directory that cannot be swapped. */
  readonly cwd: string
  close(): Promise<void>
}

/** Rejects with a sentence when a root is no longer the directory that the session opened. */
export async function openRoots({ cwd, roots, pins = [] }: Workspace): Promise<OpenRoots> {
  const directories: Directory[] = []
  const close = async (): Promise<void> => void (await Promise.all(directories.map(({ handle }) => handle.close())))
  try {
    for (const root of roots) {
      const path = resolve(root)
      const pin = pins.find((one) => one.path === path)
      directories.push(await openRoot(path, pin))
    }
  } catch (error) {
    await close()
    throw error
  }
  const working = directories.find(({ path }) => path === resolve(cwd))
  const isHeld = working !== undefined && confinement === 'file-descriptor'
  return { directories, cwd: isHeld ? listingPath(working) : cwd, close }
}
