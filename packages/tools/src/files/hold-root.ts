import { constants } from 'node:fs'
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { confinement, identityOf } from './directory.ts'

/** A directory that stays open, so that nothing else on the machine can get its identity. */
export interface HeldRoot {
  /** Device and inode. */
  readonly identity: string
  readonly fd: number
  close(): Promise<void>
}

/**
 * Opens the directory that has exactly this path. `undefined` if it does not exist, is not a directory, or is
 * reached through a link.
 */
export async function holdRoot(path: string): Promise<HeldRoot | undefined> {
  const handle = await openWithoutLink(path)
  if (handle === undefined) return undefined
  try {
    if ((await pathOf(handle, path)) === path)
      return { identity: await identityOf(handle), fd: handle.fd, close: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
  await handle.close()
  return undefined
}

async function openWithoutLink(path: string): Promise<FileHandle | undefined> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  try {
    return await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

/** The real path of the open directory. */
function pathOf({ fd }: FileHandle, path: string): Promise<string> {
  return confinement === 'file-descriptor' ? readlink(`/proc/self/fd/${fd}`) : realpath(path)
}
