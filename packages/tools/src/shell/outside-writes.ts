import { isBelow, isWithin } from '../protected/path-order.ts'
import type { ProtectedView } from '../protected/protected-set.ts'
import type { Field } from './field.ts'
import { UNKNOWN } from './field.ts'
import { hasGlob } from './judge-paths.ts'
import { changedBy, targetFolder } from './named-paths.ts'
import { type PathContext, isSystemTree, pathsOf } from './paths.ts'
import { type SimpleCommand, operandsOf } from './simple-command.ts'

export interface OutsideWrites {
  /** Existing folders that a sandbox can open for the command. */
  readonly folders: readonly string[]
  /** Files that it would write in places that a sandbox does not open. */
  readonly closed: readonly string[]
}

export interface WriteContext extends PathContext {
  readonly roots: readonly string[]
  readonly view: ProtectedView
  readonly isFolder?: (path: string) => boolean
}

/** Every sandboxed command has its own. */
const PRIVATE = ['/tmp', '/var/tmp', '/run', '/dev', '/proc']
const MOST_FOLDERS = 8

/** What a command writes outside of the workspace, as far as its text shows. Protected paths are judged elsewhere. */
export function findOutsideWrites(commands: readonly SimpleCommand[], context: WriteContext): OutsideWrites {
  const { roots, view, follow, home } = context
  const isOwn = (path: string): boolean =>
    roots.some((root) => isWithin(path, root)) ||
    (!isWithin(path, home) && PRIVATE.some((folder) => isWithin(path, folder)))
  const folders = new Set<string>()
  const closed = new Set<string>()
  for (const path of commands.flatMap(targetsOf).flatMap((field) => pathsOf(field, context))) {
    if (path.includes(UNKNOWN) || hasGlob(path)) continue
    const real = follow?.(path) ?? path
    if (isOwn(real) || view.find(real, 'write').length > 0) continue
    const folder = nearestFolder(real, context)
    if (folder === undefined) continue
    if (isOwn(folder) || isClosed(folder, context)) closed.add(path)
    else folders.add(folder)
  }
  return { folders: [...folders].slice(0, MOST_FOLDERS), closed: [...closed].slice(0, MOST_FOLDERS) }
}

/** The places where a command puts its result. Its sources are not among them. */
function targetsOf(command: SimpleCommand): readonly Field[] {
  if (!/^(?:cp|install|ln|rsync)$/.test(command.name))
    return command.name === 'find' ? command.written : changedBy(command)
  const last = targetFolder(command.args) ?? operandsOf(command.args).at(-1)
  return [...command.written, ...(last ? [last] : [])]
}

function nearestFolder(path: string, { isFolder = () => false }: WriteContext): string | undefined {
  for (let folder = path; folder !== ''; folder = folder.slice(0, folder.lastIndexOf('/'))) {
    if (isFolder(folder)) return folder
  }
  return undefined
}

/** Nobody means all of a system folder or a home, and nothing protected may become writable with it. */
function isClosed(folder: string, context: WriteContext): boolean {
  return isSystemTree(folder, context) || context.view.entries.some(({ path }) => isBelow(path, folder))
}
