// The single list of paths that tools must not touch by default. File tools, sandbox mounts and the parser of shell
// commands all use it.
import { homedir, userInfo } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { ANYWHERE_NAMES, HOME_NAMES, HOME_PROGRAMS } from './home-names.ts'
import { realPathOf } from '../real-path.ts'
import { type FileIdentity, createTwinFinder, haveTwin, statOf } from './find-twin.ts'
import { foldName } from './fold-name.ts'
import { isBelow, isWithin, upwards } from './path-order.ts'

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
  /** The protected file of which this one is a hard link under another name. */
  findTwin(path: string, stats: FileIdentity): ProtectedEntry | undefined
  /** Whether a file of the server itself has a second name somewhere. */
  hasSecretTwin(): boolean
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
  /** Default: this one. macOS and Windows do not tell `.ssh` from `.SSH`. */
  readonly system?: NodeJS.Platform
}

/** Throws a `TypeError` for a relative path, which would protect nothing. */
export function createProtectedSet(options: ProtectedSetOptions): ProtectedSet {
  const { secret = [], guarded = [], homes = ownHomes(), system = process.platform } = options
  const spell: Spelling = /^(?:darwin|win32)$/.test(system) ? foldName : (path) => path
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
      const entries = named.flatMap((entry) => withTarget(entry, realFolder))
      return createView({ entries, homes: homes.map(realFolder), spell })
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

/** The same for all names of a file that the system takes for one. */
type Spelling = (path: string) => string

interface ViewParts {
  readonly entries: readonly ProtectedEntry[]
  /** Without links. */
  readonly homes: readonly string[]
  readonly spell: Spelling
}

function createView({ entries, homes, spell }: ViewParts): ProtectedView {
  const names = HOME_NAMES.map(spell)
  const programs = HOME_PROGRAMS.map(spell)
  const ownHomes = homes.map(spell)
  const byPath = new Map<string, ProtectedEntry>()
  for (const entry of entries) {
    const key = spell(entry.path)
    if (byPath.get(key)?.grade !== 'secret') byPath.set(key, entry)
  }
  const longest = Math.max(0, ...[...byPath.keys()].map((path) => path.length))
  return {
    entries,
    findTwin: createTwinFinder([...byPath.values()]),
    hasSecretTwin: () => haveTwin(entries.filter(({ grade }) => grade === 'secret')),
    find(path, access) {
      const spelled = spell(path)
      const found = [...upwards(cut(spelled, longest))].flatMap((above) => byPath.get(above) ?? [])
      const inHome = findIn(homeOf(spelled, []), names, spelled)
      const program = access === 'write' ? findIn(homeOf(spelled, ownHomes), programs, spelled) : undefined
      const isNamed = access === 'write' && hasGuardedName(path)
      const secrets = found.filter(({ grade }) => grade === 'secret')
      const guarded = found.filter(({ grade }) => grade === 'guarded')
      return [
        ...secrets,
        ...guarded,
        ...(inHome ? [inHome] : []),
        ...(program ? [program] : []),
        ...(isNamed ? [{ path, grade: 'guarded', isReadAtStart: false } as const] : []),
      ]
    },
  }
}

/** The nearest folder above, or the path itself, that is not longer. A path may have thousands of parts. */
const cut = (path: string, longest: number): string =>
  path.length <= longest ? path : path.slice(0, Math.max(0, path.lastIndexOf('/', longest)))

/** Home directories of other users of the machine. */
const SOME_HOME = /^(?:\/root|\/home\/[^/]+|\/[Uu]sers\/[^/]+)(?=\/)/

const homeOf = (path: string, own: readonly string[]): string | undefined =>
  own.find((home) => isBelow(path, home)) ?? SOME_HOME.exec(path)?.[0]

function findIn(home: string | undefined, names: readonly string[], path: string): ProtectedEntry | undefined {
  const found = home && names.map((name) => `${home}/${name}`).find((entry) => isWithin(path, entry))
  return found ? { path: found, grade: 'guarded', isReadAtStart: false } : undefined
}

const CONFIG_NAME = /^polylogue\.config\.(?:[cm]?[jt]s|json)$/
/** Instructions for models. Later sessions would follow what an agent writes here. */
const INSTRUCTION_NAME = /^(?:agents|claude)\.md$/

const GUARDED_NAMES: readonly string[] = ANYWHERE_NAMES.map(foldName)

/** Applies everywhere, because a workspace may be a home directory, or become one when it is copied. */
function hasGuardedName(path: string): boolean {
  const folded = foldName(path)
  const name = basename(folded)
  if (CONFIG_NAME.test(name) || INSTRUCTION_NAME.test(name) || isInGit(path)) return true
  if (isInBareRepository(path)) return true
  return GUARDED_NAMES.some((guarded) => `${folded}/`.includes(`/${guarded}/`))
}

/** Git runs the programs that its configuration and hooks name. */
export function isInGit(path: string): boolean {
  return foldName(path)
    .split('/')
    .some((part) => part === '.git' || part === 'git~1')
}

const GIT_PROGRAM = /^(?:hooks|config|config\.worktree|commondir)$/i

/** The same files in a repository of another name, such as one that lies beside its worktrees. */
function isInBareRepository(path: string): boolean {
  const parent = dirname(path)
  const isHook = basename(parent).toLowerCase() === 'hooks'
  if (!isHook && !GIT_PROGRAM.test(basename(path))) return false
  const folder = isHook ? dirname(parent) : parent
  return ['HEAD', 'objects', 'refs'].every((name) => statOf(join(folder, name)) !== undefined)
}

const isLink = (path: string): boolean => statOf(path)?.isSymbolicLink() ?? false
