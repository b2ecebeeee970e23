import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'
import { invalidParams } from '../rpc/rpc-error.ts'

/** Returns the real path of an existing directory: a link may point elsewhere later. */
export async function checkDirectory(cwd: unknown, allowed: readonly string[] | undefined): Promise<string> {
  if (typeof cwd !== 'string' || cwd === '') throw invalidParams('cwd', 'must be a path')
  if (!isAbsolute(cwd)) throw invalidParams('cwd', 'must be an absolute path')
  if (allowed !== undefined) return checkDirectory(await findAllowed(cwd, allowed), undefined)
  const real = await realpath(cwd).catch(() => undefined)
  const found = real === undefined ? undefined : await stat(real).catch(() => undefined)
  if (real === undefined || found === undefined) throw invalidParams('cwd', 'does not exist')
  if (!found.isDirectory()) throw invalidParams('cwd', 'is not a directory')
  return real
}

/** Throws the same error for other directories and for missing ones, so that it does not tell which paths exist. */
async function findAllowed(cwd: string, allowed: readonly string[]): Promise<string> {
  const real = await realpath(cwd).catch(() => undefined)
  for (const directory of allowed) if (real !== undefined && isInside(real, await resolved(directory))) return real
  throw invalidParams('cwd', 'is not one of your directories')
}

function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** Returns the real path, or the path itself when it does not exist. */
export const resolved = (path: string): Promise<string> => realpath(path).catch(() => path)
