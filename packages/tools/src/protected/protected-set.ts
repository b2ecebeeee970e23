// The single list of paths that tools must not touch by default. File tools, sandbox mounts and the parser of shell
// commands all use it.
import { lstatSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { ANYWHERE_NAMES, HOME_NAMES } from './home-names.ts'
import { realPathOf } from '../real-path.ts'
import { isWithin, upwards } from './path-order.ts'

/**
 * `secret`: files of the server itself, which no mode, rule or answer opens. `guarded`: files of the operator or the
 * user, for which the judge decides.
 */
export type Grade = 'secret' | 'guarded'
export type Access = 'read' | 'write'

export interface ProtectedSet {
  /** The set with its links resolved at this moment. */
  look(): ProtectedView
}

export interface ProtectedView {
  /** All protections of an absolute path with links resolved, the strictest first. */
  find(path: string, access: Access): readonly ProtectedEntry[]
  /** Every path that is protected together with its content, whether it exists or not. */
  readonly entries: readonly ProtectedEntry[]
}

export interface ProtectedEntry {
  /** Absolute, with links resolved. */
  readonly path: string
  readonly grade: Grade
  /** The server reads it at start, so it must not be created either. */
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

/** If a protected path is a link, both the link and its target are protected. */
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

/** Home directories of other users of the machine. */
const SOME_HOME = /^(?:\/root|\/home\/[^/]+|\/Users\/[^/]+)(?=\/)/

function findInSomeHome(path: string): ProtectedEntry | undefined {
  const home = SOME_HOME.exec(path)?.[0]
  if (home === undefined) return undefined
  const found = HOME_NAMES.map((name) => `${home}/${name}`).find((entry) => isWithin(path, entry))
  return found === undefined ? undefined : { path: found, grade: 'guarded', isReadAtStart: false }
}

const CONFIG_NAME = /^polylogue\.config\.(?:[cm]?[jt]s|json)$/i
/** Instructions for models. Later sessions would follow what an agent writes here. */
const INSTRUCTION_NAME = /^(?:agents|claude)\.md$/i

/** Applies everywhere, because a workspace may be a home directory, or become one when it is copied. */
function hasGuardedName(path: string): boolean {
  const name = basename(path)
  if (CONFIG_NAME.test(name) || INSTRUCTION_NAME.test(name) || isInGit(path)) return true
  return ANYWHERE_NAMES.some((name) => `${path}/`.includes(`/${name}/`))
}

/** Git runs the programs that its configuration and hooks name. */
export function isInGit(path: string): boolean {
  return path.split('/').some((part) => part.toLowerCase() === '.git')
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return false
  }
}
