// The one list of what tools must not touch as a matter of course. File tools, the mounts of the sandbox and the reading
// of shell commands all ask it.
import { lstatSync, realpathSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { ANYWHERE_NAMES, HOME_NAMES } from './home-names.ts'
import { isWithin, upwards } from './path-order.ts'

/**
 * `secret`: what the server itself lives on; no mode, rule or answer opens it. `guarded`: what the operator or the user
 * lives on; the judge decides.
 */
export type Grade = 'secret' | 'guarded'
export type Access = 'read' | 'write'

export interface ProtectedSet {
  /** The set with its links resolved as they are at this moment. */
  look(): ProtectedView
}

export interface ProtectedView {
  /** Everything that protects an absolute path without links, the strictest first. */
  find(path: string, access: Access): readonly ProtectedEntry[]
  /** Every path that is protected with all that is below it, whether it exists or not. */
  readonly entries: readonly ProtectedEntry[]
}

export interface ProtectedEntry {
  /** Absolute, without links. */
  readonly path: string
  readonly grade: Grade
  /** The server reads it when it starts: nothing may appear there either. */
  readonly isReadAtStart: boolean
}

export interface ProtectedSetOptions {
  /** The data directory, the database, key files. */
  readonly secret?: readonly string[]
  /** The configuration with its imports, agents and skills. */
  readonly guarded?: readonly string[]
  /** Default: the home directories of this process. */
  readonly homes?: readonly string[]
}

/** Throws a `TypeError` for a relative path, which would protect nothing. */
export function createProtectedSet(options: ProtectedSetOptions): ProtectedSet {
  const { secret = [], guarded = [], homes = ownHomes() } = options
  const relative = [...secret, ...guarded, ...homes].find((path) => !isAbsolute(path))
  if (relative !== undefined) throw new TypeError(`${relative} is not an absolute path, so it cannot be protected`)
  const named: readonly ProtectedEntry[] = [
    ...secret.map((path) => ({ path: resolve(path), grade: 'secret', isReadAtStart: false }) as const),
    ...guarded.map((path) => ({ path: resolve(path), grade: 'guarded', isReadAtStart: true }) as const),
    ...homes.flatMap((home) =>
      HOME_NAMES.map((name) => ({ path: resolve(home, name), grade: 'guarded', isReadAtStart: false }) as const),
    ),
  ]
  return {
    look() {
      const folders = new Map<string, string>()
      const realFolder = (path: string): string => {
        const known = folders.get(path) ?? realPathOf(path)
        folders.set(path, known)
        return known
      }
      return createView(named.flatMap((entry) => withTarget(entry, realFolder)))
    },
  }
}

function ownHomes(): readonly string[] {
  return [...new Set([homedir(), userInfo().homedir])].filter((home) => isAbsolute(home) && home !== '/')
}

/** A protected path that is a link protects the link and what it leads to. */
function withTarget(entry: ProtectedEntry, realFolder: (path: string) => string): readonly ProtectedEntry[] {
  const path = join(realFolder(dirname(entry.path)), basename(entry.path))
  if (!isLink(path)) return [{ ...entry, path }]
  return [
    { ...entry, path },
    { ...entry, path: realPathOf(path) },
  ]
}

function createView(entries: readonly ProtectedEntry[]): ProtectedView {
  const byPath = new Map<string, ProtectedEntry>()
  for (const entry of entries) if (byPath.get(entry.path)?.grade !== 'secret') byPath.set(entry.path, entry)
  return {
    entries,
    find(path, access) {
      const found = [...upwards(path)].flatMap((above) => byPath.get(above) ?? [])
      const inHome = findInSomeHome(path)
      const isNamed = access === 'write' && hasGuardedName(path)
      const secrets = found.filter(({ grade }) => grade === 'secret')
      const guarded = found.filter(({ grade }) => grade === 'guarded')
      return [
        ...secrets,
        ...guarded,
        ...(inHome ? [inHome] : []),
        ...(isNamed ? [{ path, grade: 'guarded', isReadAtStart: false } as const] : []),
      ]
    },
  }
}

/** Homes of other users of the machine. */
const SOME_HOME = /^(?:\/root|\/home\/[^/]+|\/Users\/[^/]+)(?=\/)/

function findInSomeHome(path: string): ProtectedEntry | undefined {
  const home = SOME_HOME.exec(path)?.[0]
  if (home === undefined) return undefined
  const found = HOME_NAMES.map((name) => `${home}/${name}`).find((entry) => isWithin(path, entry))
  return found === undefined ? undefined : { path: found, grade: 'guarded', isReadAtStart: false }
}

const CONFIG_NAME = /^polylogue\.config\.(?:[cm]?[jt]s|json)$/i
/** Instructions to models: what an agent writes here, later sessions would follow. */
const INSTRUCTION_NAME = /^(?:agents|claude)\.md$/i

/** Wherever it lies: a workspace may be somebody's home, or become one when it is copied. */
function hasGuardedName(path: string): boolean {
  const name = basename(path)
  if (CONFIG_NAME.test(name) || INSTRUCTION_NAME.test(name) || isInGit(path)) return true
  return ANYWHERE_NAMES.some((name) => `${path}/`.includes(`/${name}/`))
}

/** Git runs what its configuration and its hooks name. */
export function isInGit(path: string): boolean {
  return path.split('/').some((part) => part.toLowerCase() === '.git')
}

/** Of a path that need not exist: links are resolved as far as it does. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    const parent = dirname(path)
    return parent === path ? path : join(realPathOf(parent), basename(path))
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return false
  }
}
