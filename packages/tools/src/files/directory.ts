// An open directory and the paths below it. On Linux, `/proc/self/fd/<fd>/name` starts at the open directory itself, even
// if the directory was renamed: openat(2) in pure Node. Other systems have no such path. There the walk uses names that
// it has just checked, and an attacker can win the race.
import type { RootPin } from '@polylogue/engine'
import { constants, existsSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, FileProblem } from './file-problem.ts'

/** How firmly this machine keeps tools inside the workspace. */
export const confinement: 'file-descriptor' | 'best-effort' =
  process.platform === 'linux' && existsSync('/proc/self/fd') ? 'file-descriptor' : 'best-effort'

export interface Directory {
  readonly handle: FileHandle
  /** The path by which the walk found it. For messages, name rules and relative links, never for opening. */
  readonly path: string
}

/**
 * The path by which to reach `name`, one part of a path and neither `.` nor `..`, in an open directory. Contract:
 * whatever uses it has ended before the directory is closed, because the number may then be another directory's.
 */
export function below({ handle, path }: Directory, name: string): string {
  return confinement === 'file-descriptor' ? `/proc/self/fd/${handle.fd}/${name}` : join(path, name)
}

/** The path by which to list an open directory. */
export function listingPath({ handle, path }: Directory): string {
  return confinement === 'file-descriptor' ? `/proc/self/fd/${handle.fd}` : path
}

/**
 * Opens a root of a session. Rejects with a `FileProblem` if its name leads to another directory than the pinned one.
 * The inode of a pinned root is held open, so no other directory can get its identity.
 */
export async function openRoot(path: string, pin?: RootPin): Promise<Directory> {
  if (pin !== undefined && 'problem' in pin) throw new FileProblem('failed', pin.problem)
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY).catch((error: unknown) => {
    if (pin === undefined || codeOf(error) === undefined) throw error
    throw new FileProblem('failed', replacedRoot(path), { cause: error })
  })
  if (pin === undefined || (await identityOf(handle)) === pin.identity) return { handle, path }
  await handle.close()
  throw new FileProblem('failed', replacedRoot(path))
}

export async function identityOf(handle: FileHandle): Promise<string> {
  const { dev, ino } = await handle.stat({ bigint: true })
  return `${dev}:${ino}`
}

const replacedRoot = (path: string): string =>
  `the directory ${path} is not the one that this session opened: it was moved, replaced or removed. ` +
  'Load the session again to work with what is there now'

/** Rejects with ENOTDIR or ELOOP if it is a link or not a directory. */
export async function openDirectory(parent: Directory, name: string): Promise<Directory> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  return { handle: await open(below(parent, name), flags), path: join(parent.path, name) }
}

/** Never waits for the other end of a pipe. The caller checks what it opened. */
export async function openEntry(parent: Directory, name: string): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants
  return open(below(parent, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
}
