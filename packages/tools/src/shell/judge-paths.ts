import { setImmediate as giveWay } from 'node:timers/promises'
import type { FileIdentity } from '../protected/find-twin.ts'
import type { ProtectedEntry, ProtectedView } from '../protected/protected-set.ts'
import { isWithin } from '../protected/path-order.ts'
import { matchesGlob } from './matches-glob.ts'
import type { NamedPath } from './named-paths.ts'

export interface PathRules {
  readonly view: ProtectedView
  /** The session's own folders. A protected folder around them does not hide them. */
  readonly own: readonly string[]
  /** The target of links. `undefined` if the path does not exist. Absent: links are not resolved. */
  readonly follow?: (path: string) => string | undefined
  /** What lies at a path, through links. Absent: hard links are not recognised. */
  readonly identify?: (path: string) => FileIdentity | undefined
}

export interface JudgedPaths {
  /** A path of the server's own. */
  readonly secret?: string
  /** Protected paths, without links. */
  readonly guarded: readonly NamedPath[]
}

const MOST_GUARDED = 16

/** Looking a path up takes tens of microseconds. After so many, others have a turn of the event loop. */
const PATHS_A_TURN = 250

export async function judgePaths(named: readonly NamedPath[], rules: PathRules): Promise<JudgedPaths> {
  const guarded = new Map<string, NamedPath>()
  let secret: string | undefined
  for (const [index, path] of named.entries()) {
    if (index % PATHS_A_TURN === PATHS_A_TURN - 1) await giveWay()
    for (const one of spellingsOf(path, rules)) {
      for (const entry of entriesFor(one, rules.view)) {
        if (rules.own.some((folder) => isWithin(folder, entry.path) && isWithin(one.path, folder))) continue
        if (entry.grade === 'secret') secret ??= one.path
        else if (guarded.get(one.path)?.access !== 'write') guarded.set(one.path, one)
      }
    }
  }
  return { ...(secret !== undefined && { secret }), guarded: [...guarded.values()].slice(0, MOST_GUARDED) }
}

/** The path as written, where its links lead, and the protected file that it is a hard link of. */
function spellingsOf(named: NamedPath, { view, follow, identify }: PathRules): readonly NamedPath[] {
  const real = follow?.(named.path) ?? named.path
  const stats = identify?.(real)
  const twin = stats && view.findTwin(real, stats)
  return [...new Set([named.path, real, ...(twin ? [twin.path] : [])])].map((path) => ({ ...named, path }))
}

function entriesFor({ path, access }: NamedPath, view: ProtectedView): readonly ProtectedEntry[] {
  if (hasGlob(path)) return view.entries.filter((entry) => isInside(path, entry.path))
  return view.find(path, access)
}

export const hasGlob = (path: string): boolean => /[*?[]/.test(path)

/** `path` may be a glob; as in a shell, its stars do not match a leading dot. */
export function isInside(path: string, folder: string): boolean {
  if (folder === '/') return true
  const parts = path.split('/')
  const names = folder.split('/')
  return (
    parts.length >= names.length &&
    names.every((name, index) => {
      const part = parts[index] ?? ''
      return (
        name === part || (hasGlob(part) && name.startsWith('.') === part.startsWith('.') && matchesGlob(name, part))
      )
    })
  )
}
