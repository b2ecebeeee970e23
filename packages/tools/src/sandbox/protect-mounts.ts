// Hides or locks parts of the folders that a command can access. Protected paths are covered, and Git's hooks and
// settings become read-only. Their parent folders are mounted onto themselves: a mount point cannot be renamed, so a
// command cannot replace it with another folder.
import { existsSync, lstatSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { openDirectory, openEntry, type Directory } from '../files/directory.ts'
import { codeOf } from '../files/file-problem.ts'
import { isBelow, isWithin } from '../protected/path-order.ts'
import type { ProtectedEntry, ProtectedView } from '../protected/protected-set.ts'
import { readPointer } from '../git/repository-places.ts'
import { realPathOf } from '../real-path.ts'
import type { Placeholders } from './placeholders.ts'
import type { Mount } from './sandbox-argv.ts'

export interface ProtectOptions {
  readonly view: ProtectedView
  /** Open folders that the command can write to. */
  readonly roots: readonly Directory[]
  /** Folders that it can only read. */
  readonly trees: readonly string[]
  /** Protected paths that this call may touch. */
  readonly granted: readonly string[] | 'all'
  readonly placeholders: Placeholders
  /** Opens a path to mount. Returns its descriptor in the sandbox program. If absent, paths are mounted by name. */
  readonly hold?: (entry: Held) => number
  /** Called with each placeholder that must be released. */
  readonly onPlaceholder: (path: string) => void
}

export interface Held {
  readonly fd: number
  close(): Promise<void>
}

export async function protectMounts(options: ProtectOptions): Promise<readonly Mount[]> {
  const { view, roots, trees, granted } = options
  const candidates = view.entries.filter((entry) => isCovered(entry, options))
  const covered = candidates.filter(({ path }) => !candidates.some((other) => isBelow(path, other.path)))
  const inTrees = covered.filter(
    ({ path }) => trees.some((tree) => isWithin(path, tree)) || roots.some((root) => isBelow(path, root.path)),
  )
  const mounts: Mount[] = []
  for (const entry of inTrees) {
    const root = roots.findLast(({ path }) => isBelow(entry.path, path))
    if (root) mounts.push(...(await fixFoldersAbove(entry.path, root, options)))
    mounts.push(...cover(entry, root !== undefined, options))
  }
  for (const root of roots) if (granted !== 'all') mounts.push(...(await closeGit(root, options)))
  return unique(mounts)
}

/** A root inside a protected folder was opened on purpose. */
function isCovered({ path, grade }: ProtectedEntry, { roots, granted }: ProtectOptions): boolean {
  if (grade === 'secret') return true
  const isInRoot = roots.some((root) => isBelow(path, root.path))
  if (granted === 'all') return !isInRoot
  return !granted.includes(path)
}

function cover(entry: ProtectedEntry, isWritable: boolean, options: ProtectOptions): readonly Mount[] {
  const { path, isReadAtStart } = entry
  const { placeholders, onPlaceholder } = options
  const stats = lstatSync(path, { throwIfNoEntry: false })
  // The target of a link has its own entry.
  if (stats?.isSymbolicLink()) return []
  const isHeld = placeholders.isHeld(path) && stats?.isFile() !== true
  if (stats && !isHeld) return [{ type: 'hidden', path, isFolder: stats.isDirectory() }]
  const isNeeded = isHeld || (isWritable && isReadAtStart && existsSync(dirname(path)))
  if (!isNeeded || !placeholders.take(path)) return []
  onPlaceholder(path)
  return [{ type: 'hidden', path, isFolder: true }]
}

async function fixFoldersAbove(path: string, root: Directory, options: ProtectOptions): Promise<readonly Mount[]> {
  const names = relative(root.path, dirname(path)).split('/').filter(Boolean)
  const mounts: Mount[] = []
  for (let length = 1; length <= names.length; length += 1) {
    const mount = await mountBelow(root, { names: names.slice(0, length), type: 'write' }, options)
    if (mount === undefined) break
    mounts.push(mount)
  }
  return mounts
}

/** Git runs programs from here, also for a person who works in the same folder without a sandbox. */
const GIT_PROGRAMS = ['hooks', 'config', 'config.worktree']

async function closeGit(root: Directory, options: ProtectOptions): Promise<readonly Mount[]> {
  const { granted } = options
  const isGranted = (path: string): boolean =>
    granted === 'all' || granted.some((one) => isWithin(one, path) || isWithin(path, one))
  const mounts: (Mount | undefined)[] = []
  const pointer = join(root.path, '.git')
  // Another pointer could name a repository with other settings.
  if (statSync(pointer, { throwIfNoEntry: false })?.isFile() === true && !isGranted(pointer))
    mounts.push(await mountBelow(root, { names: ['.git'], type: 'read' }, options))
  const names = findGitFolder(root.path)
  if (names === undefined) return present(mounts)
  for (let length = 1; length <= names.length; length += 1)
    mounts.push(await mountBelow(root, { names: names.slice(0, length), type: 'write' }, options))
  const git = join(root.path, ...names)
  for (const name of GIT_PROGRAMS.filter((one) => !isGranted(join(git, one)))) {
    mounts.push(await mountBelow(root, { names: [...names, name], type: 'read' }, options))
    if (name === 'hooks') mounts.push(...keepMissing(join(git, name), options))
  }
  return present(mounts)
}

const present = (mounts: readonly (Mount | undefined)[]): readonly Mount[] =>
  mounts.filter((mount) => mount !== undefined)

/** Where the settings and hooks of the repository lie, as names below the root. `undefined`: nowhere below it. */
function findGitFolder(root: string): readonly string[] | undefined {
  const git = join(root, '.git')
  const named = /^gitdir: (.+)$/.exec(readPointer(git) ?? '')?.[1]
  const own = realPathOf(named === undefined ? git : resolve(root, named))
  const common = readPointer(join(own, 'commondir'))
  const folder = common === undefined ? own : realPathOf(resolve(own, common))
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
  return isFolder && isBelow(folder, root) ? relative(root, folder).split('/') : undefined
}

/** A folder that does not exist could be created, so an empty one takes its place. */
function keepMissing(path: string, { placeholders, onPlaceholder }: ProtectOptions): readonly Mount[] {
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined
  if ((isThere && !placeholders.isHeld(path)) || !placeholders.take(path)) return []
  onPlaceholder(path)
  return [{ type: 'hidden', path, isFolder: true }]
}

/** `undefined` when it does not exist, or when the path contains a link and so leaves this root. */
async function mountBelow(
  root: Directory,
  { names, type }: { readonly names: readonly string[]; readonly type: 'read' | 'write' },
  { hold }: ProtectOptions,
): Promise<Mount | undefined> {
  const path = join(root.path, ...names)
  if (hold === undefined) return lstatSync(path, { throwIfNoEntry: false }) ? { type, path } : undefined
  const held = await openBelow(root, names)
  return held && { type, path, fd: hold(held) }
}

async function openBelow(root: Directory, names: readonly string[]): Promise<Held | undefined> {
  let here = root
  try {
    for (const name of names.slice(0, -1)) {
      const next = await openDirectory(here, name)
      if (here !== root) await here.handle.close()
      here = next
    }
    const handle = await openEntry(here, names.at(-1) ?? '.')
    return { fd: handle.fd, close: () => handle.close() }
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  } finally {
    if (here !== root) await here.handle.close()
  }
}

function unique(mounts: readonly Mount[]): readonly Mount[] {
  return [
    ...new Map(mounts.map((mount) => [`${mount.type === 'write' ? 'write' : 'other'}:${mount.path}`, mount])).values(),
  ]
}
