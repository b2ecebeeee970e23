import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'
import { invalidParams } from '../rpc/rpc-error.ts'

/**
 * An absolute path of a directory that exists. Where only some are allowed it is told without links, which might lead
 * elsewhere tomorrow.
 */
export async function checkDirectory(cwd: unknown, allowed: readonly string[] | undefined): Promise<string> {
  if (typeof cwd !== 'string' || cwd === '') throw invalidParams('cwd', 'must be a path')
  if (!isAbsolute(cwd)) throw invalidParams('cwd', 'must be an absolute path')
  if (allowed !== undefined) return checkDirectory(await findAllowed(cwd, allowed), undefined)
  const found = await stat(cwd).catch(() => undefined)
  if (found === undefined) throw invalidParams('cwd', 'does not exist')
  if (!found.isDirectory()) throw invalidParams('cwd', 'is not a directory')
  return cwd
}

/** The same words for whatever is elsewhere, and for what is nowhere: which paths there are is nobody's business. */
async function findAllowed(cwd: string, allowed: readonly string[]): Promise<string> {
  const real = await realpath(cwd).catch(() => undefined)
  for (const directory of allowed) if (real !== undefined && isInside(real, await resolved(directory))) return real
  throw invalidParams('cwd', 'is not one of your directories')
}

function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

export const isSameDirectory = async (one: string, other: string): Promise<boolean> =>
  one === other || (await resolved(one)) === (await resolved(other))

/** A path that does not exist is what it says. */
const resolved = (path: string): Promise<string> => realpath(path).catch(() => path)
