/**
 * Where Git keeps a repository whose top is a given folder.
 *
 * In a linked worktree `.git` is a file, `gitdir: <own>`, that points outside the workspace. `<own>` is
 * `<common>/worktrees/<name>`, and its file `gitdir` points back to the `.git` file. A process that can only write to
 * the workspace cannot create that file. So a worktree is followed only if its repository knows it, and a forged `.git`
 * file cannot expose another repository.
 */
import { lstatSync, readFileSync, realpathSync, type Stats } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'

export interface RepositoryPlaces {
  /** HEAD and the index. */
  readonly own: string
  /** Objects, references and the configuration. The same folder, except in a linked worktree. */
  readonly common: string
}

const LARGEST_POINTER = 4096

export function findRepository(top: string): RepositoryPlaces | undefined {
  const git = join(top, '.git')
  const stats = lstatOf(git)
  if (stats?.isDirectory() === true) return lstatOf(join(git, 'commondir')) ? undefined : { own: git, common: git }
  return stats === undefined ? undefined : findLinked(git)
}

function findLinked(git: string): RepositoryPlaces | undefined {
  const written = /^gitdir: (.+)$/.exec(readPointer(git) ?? '')?.[1]
  if (written === undefined) return undefined
  const own = realPathOf(resolve(dirname(git), written))
  if (own === undefined) return undefined
  const common = dirname(dirname(own))
  const isKnown =
    dirname(own) === join(common, 'worktrees') &&
    readPointer(join(own, 'commondir')) === '../..' &&
    namesFile(readPointer(join(own, 'gitdir')), own, git)
  return isKnown ? { own, common } : undefined
}

function namesFile(pointer: string | undefined, from: string, file: string): boolean {
  if (pointer === undefined || pointer === '') return false
  const path = isAbsolute(pointer) ? pointer : resolve(from, pointer)
  const real = realPathOf(path)
  return real !== undefined && real === realPathOf(file)
}

/** Reads the only line of a small regular file. */
export function readPointer(file: string): string | undefined {
  const stats = lstatOf(file)
  if (stats === undefined || !stats.isFile() || stats.size > LARGEST_POINTER) return undefined
  const text = readFileSync(file, 'utf8').replace(/\n$/, '')
  return text.includes('\n') ? undefined : text
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return undefined
  }
}

export function lstatOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}
