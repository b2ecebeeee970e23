import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Device and inode: the same for every name of a file. `undefined` when there is no such file. */
export function identityOf(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true })
  return stats && `${stats.dev}-${stats.ino}`
}

/** The path without links. The file itself need not exist. */
export function realPathOf(file: string): string {
  if (identityOf(file) !== undefined) return realpathSync(file)
  return join(realpathSync(dirname(file)), basename(file))
}
