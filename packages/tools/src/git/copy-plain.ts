import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { codeOf } from '../files/file-problem.ts'

export interface CopyLimits {
  readonly mostBytes: number
  /** Also refuses a file with several names: it may be a file from somewhere else. */
  readonly isOnlyName?: boolean
}

/**
 * Copies a regular file, if there is one of that size. Never follows a link, also not one that was put there this moment.
 * Keeps the modification time, which Git compares with those of other files.
 */
export async function copyPlain(from: string, to: string, limits: CopyLimits): Promise<void> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const source = await open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    if (codeOf(error) === undefined) throw error
    return undefined
  })
  if (source === undefined) return
  try {
    const stats = await source.stat()
    if (!stats.isFile() || stats.size > limits.mostBytes || (limits.isOnlyName === true && stats.nlink > 1)) return
    const target = await open(to, 'wx', 0o600)
    try {
      await target.writeFile(await source.readFile())
      await target.utimes(stats.atime, stats.mtime)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}
