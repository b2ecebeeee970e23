import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { invalidParams } from '../rpc/rpc-error.ts'

/** Returns the real path of an existing directory: a link may point elsewhere later. */
export async function checkDirectory(
  path: unknown,
  allowed: readonly string[] | undefined,
  field = 'cwd',
): Promise<string> {
  if (typeof path !== 'string' || path === '') throw invalidParams(field, 'must be a path')
  if (!isAbsolute(path)) throw invalidParams(field, 'must be an absolute path')
  const real = await realpath(path).catch(() => undefined)
  if (allowed !== undefined) await requireAllowed(real, allowed, field)
  const found = real === undefined ? undefined : await stat(real).catch(() => undefined)
  if (real === undefined || found === undefined) throw invalidParams(field, 'does not exist')
  if (!found.isDirectory()) throw invalidParams(field, 'is not a directory')
  return real
}

const MOST_DIRECTORIES = 64

/** The `additionalDirectories` of a request, as real paths, each once. */
export async function checkAdditional(
  given: unknown,
  allowed: readonly string[] | undefined,
  cwd: string,
): Promise<readonly string[]> {
  const field = 'additionalDirectories'
  if (given === undefined || given === null) return []
  if (!Array.isArray(given)) throw invalidParams(field, 'must be an array of paths')
  if (given.length > MOST_DIRECTORIES) throw invalidParams(field, `has more than ${MOST_DIRECTORIES} directories`)
  const found = new Set<string>()
  for (const [index, path] of given.entries()) found.add(await checkDirectory(path, allowed, `${field}[${index}]`))
  found.delete(cwd)
  return [...found]
}

/** Throws the same error for other directories and for missing ones, so that clients cannot find out which paths exist. */
async function requireAllowed(real: string | undefined, allowed: readonly string[], field: string): Promise<void> {
  for (const directory of allowed) if (real !== undefined && isInside(real, await resolved(directory))) return
  throw invalidParams(field, 'is not one of your directories')
}

function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** Returns the real path. A path that does not exist is only put in order: sessions may remember it. */
export const resolved = (path: string): Promise<string> => realpath(path).catch(() => resolve(path))
