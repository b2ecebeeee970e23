import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'
import { invalidParams } from '../rpc/rpc-error.ts'

/** An absolute path of a directory that exists, in one of those that are allowed. */
export async function checkDirectory(cwd: unknown, allowed: readonly string[] | undefined): Promise<string> {
  if (typeof cwd !== 'string' || cwd === '') throw invalidParams('cwd', 'must be a path')
  if (!isAbsolute(cwd)) throw invalidParams('cwd', 'must be an absolute path')
  const found = await stat(cwd).catch(() => undefined)
  if (found === undefined) throw invalidParams('cwd', 'does not exist')
  if (!found.isDirectory()) throw invalidParams('cwd', 'is not a directory')
  if (allowed !== undefined && !(await isInside(cwd, allowed)))
    throw invalidParams('cwd', 'is not one of your directories')
  return cwd
}

async function isInside(cwd: string, allowed: readonly string[]): Promise<boolean> {
  const real = await resolved(cwd)
  for (const directory of allowed) {
    const way = relative(await resolved(directory), real)
    if (way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))) return true
  }
  return false
}

export const isSameDirectory = async (one: string, other: string): Promise<boolean> =>
  one === other || (await resolved(one)) === (await resolved(other))

/** A path that does not exist is what it says. */
const resolved = (path: string): Promise<string> => realpath(path).catch(() => path)
