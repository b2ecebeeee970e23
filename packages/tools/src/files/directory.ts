// An open directory, and how to name what lies below it. On Linux `/proc/self/fd/<fd>/name` begins at the open
// directory itself, whatever happened to its name meanwhile: openat(2) in pure Node. Elsewhere there is no such
// path, so the walk goes by names that were just looked at, which somebody quick could exchange.
import { constants, existsSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

/** How firmly tools are held inside the workspace on this machine. */
export const confinement: 'file-descriptor' | 'best-effort' =
  process.platform === 'linux' && existsSync('/proc/self/fd') ? 'file-descriptor' : 'best-effort'

export interface Directory {
  readonly handle: FileHandle
  /** Where the walk met it: for messages, for rules about names and for relative links, never for opening. */
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

/** A root is named by whoever began the session, so links in its own path are followed. */
export async function openRoot(path: string): Promise<Directory> {
  return { handle: await open(path, constants.O_RDONLY | constants.O_DIRECTORY), path }
}

/** Rejects with ENOTDIR or ELOOP when it is a link or no directory. */
export async function openDirectory(parent: Directory, name: string): Promise<Directory> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  return { handle: await open(below(parent, name), flags), path: join(parent.path, name) }
}

/** Never waits for the other end of a pipe. What was opened is for the caller to look at. */
export async function openEntry(parent: Directory, name: string): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants
  return open(below(parent, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
}
