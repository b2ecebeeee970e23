// The walk that keeps tools inside the workspace. It starts at the open directory of a root and opens one path part at a
// time without following links, so it never leaves the root, even if directories are swapped meanwhile. To follow a link,
// it reads the link's text and walks that path: users expect links inside the workspace to work (`node_modules/.bin`, a
// linked package), and a link that leads outside is refused like any other path that leads outside.
// Limit: a process that moves an open directory out of the workspace moves the walk too. It could write there anyway.
import type { BigIntStats } from 'node:fs'
import { lstat, readlink, type FileHandle } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import type { AskedPath } from './asked-path.ts'
import type { Confines, Location } from './confines.ts'
import { below, openDirectory, openRoot, type Directory } from './directory.ts'
import { codeOf, FileProblem, toFileProblem } from './file-problem.ts'

/** Where a path led to, links resolved. Its directory is open as long as `use` runs. */
export type Spot =
  | { readonly kind: 'directory'; readonly path: string; readonly directory: Directory }
  | (Named & { readonly kind: 'file'; readonly stats: BigIntStats })
  | (Named & { readonly kind: 'absent' })

interface Named {
  readonly path: string
  /** The directory that holds it. */
  readonly directory: Directory
  readonly name: string
}

export interface WalkOptions {
  /** Also refuses files that may only be read: those with several hard links. */
  readonly isForWriting?: boolean
  /** Called for each missing directory with the path at which to create it. Absent: a missing directory is a problem. */
  readonly makeDirectory?: (path: string) => Promise<void>
}

const MOST_PARTS = 128
const MOST_LINKS = 40
/** A directory that was just created may be removed again. Retry this often. */
const MOST_MADE = MOST_PARTS * 2

/** Rejects with a `FileProblem` if the path leads outside or to something other than a regular file. */
export async function atSpot<Result>(
  confines: Confines,
  asked: AskedPath & WalkOptions,
  use: (spot: Spot) => Promise<Result>,
): Promise<Result> {
  const walk = createWalk(confines, asked)
  try {
    return await use(await walk.go())
  } catch (error) {
    throw toFileProblem(error, asked.shown)
  } finally {
    await walk.close()
  }
}

interface Walk {
  go(): Promise<Spot>
  close(): Promise<void>
}

function createWalk(confines: Confines, asked: AskedPath & WalkOptions): Walk {
  const { absolute, shown, makeDirectory, isForWriting = false } = asked
  const stack: Directory[] = []
  let pending: string[] = []
  let links = 0
  let made = 0

  const refuse = (kind: FileProblem['kind'], why: string): FileProblem => new FileProblem(kind, `path: ${shown} ${why}`)
  const outside = (): FileProblem =>
    refuse('outside', links === 0 ? 'is outside of the workspace' : 'is a link that leads outside of the workspace')

  const close = async (): Promise<void> => {
    const handles: FileHandle[] = stack.splice(0).map(({ handle }) => handle)
    await Promise.all(handles.map((handle) => handle.close()))
  }

  const access = isForWriting ? 'write' : 'read'
  const refuseGuarded = (path: string): void => {
    if (!confines.isOpen(path, access)) throw refuse('guarded', 'is protected: this call was not allowed to touch it')
  }

  /** Checked before any directory is created. The meaning of `..` is known only during the walk. */
  const refuseAhead = ({ root, parts }: Location): void => {
    if (!parts.includes('..') && confines.isHidden(join(root, ...parts))) throw outside()
  }

  const startAt = async (path: string): Promise<void> => {
    await close()
    const location = confines.locate(path)
    if (!location) throw outside()
    refuseAhead(location)
    pending = [...location.parts]
    await enter(await openRoot(location.root, location.pin))
  }

  const enter = async (directory: Directory): Promise<void> => {
    stack.push(directory)
    const stats = await directory.handle.stat({ bigint: true })
    if (!confines.isPassable(directory.path) || confines.isHiddenTwin(directory.path, stats)) throw outside()
  }

  const follow = async (here: Directory, name: string): Promise<void> => {
    links += 1
    if (links > MOST_LINKS) throw refuse('not-ordinary', 'leads through too many links')
    const text = await readlink(below(here, name))
    if (isAbsolute(text)) await startAt([text, ...pending].join('/'))
    else pending.unshift(...text.split('/'))
  }

  const climb = async (): Promise<void> => {
    const left = stack.pop()
    await left?.handle.close()
    // The parent of a root may lie in another root, though hardly ever.
    if (left && stack.length === 0) await startAt([dirname(left.path), ...pending].join('/'))
  }

  /** The target of the remaining path if none of it exists. */
  const ahead = ({ path }: Directory, name: string): string =>
    pending.includes('..') ? join(path, name) : join(path, name, ...pending)

  /** Steps into a directory, or follows a link. */
  const step = async (here: Directory, name: string): Promise<void> => {
    try {
      await enter(await openDirectory(here, name))
    } catch (error) {
      const code = codeOf(error)
      // Check the whole path before creating anything.
      if (code === 'ENOENT') refuseGuarded(ahead(here, name))
      if (code === 'ENOENT' && makeDirectory && made < MOST_MADE) {
        made += 1
        await makeDirectory(below(here, name))
        pending.unshift(name)
      } else if (code === 'ENOTDIR' || code === 'ELOOP') {
        if (!(await isLink(here, name))) throw error
        await follow(here, name)
      } else throw error
    }
  }

  /** Handles the last part of the path. A link is followed. */
  const arrive = async (here: Directory, name: string): Promise<Spot | undefined> => {
    const path = join(here.path, name)
    const stats = await lstatOf(here, name)
    if (!stats) return { kind: 'absent', path, directory: here, name }
    if (confines.isHiddenTwin(path, stats)) throw outside()
    const twin = confines.guardedTwin(path, stats)
    if (twin !== undefined) refuseGuarded(twin)
    // The other name may be outside of the workspace.
    if (isForWriting && stats.isFile() && stats.nlink > 1n)
      throw refuse('not-ordinary', `has ${stats.nlink} names (hard links), so it is not written`)
    if (stats.isFile()) return { kind: 'file', path, directory: here, name, stats }
    if (!stats.isDirectory() && !stats.isSymbolicLink()) throw refuse('not-ordinary', 'is not an ordinary file')
    await step(here, name)
    return undefined
  }

  const go = async (): Promise<Spot> => {
    await startAt(absolute)
    for (;;) {
      if (pending.length + stack.length > MOST_PARTS) throw refuse('not-ordinary', `is more than ${MOST_PARTS} deep`)
      const here = stack.at(-1)
      if (!here) throw outside()
      const name = pending.shift()
      if (name === undefined) {
        if (confines.isHidden(here.path)) throw outside()
        refuseGuarded(here.path)
        return { kind: 'directory', path: here.path, directory: here }
      }
      if (name === '' || name === '.') continue
      if (name === '..') {
        await climb()
        continue
      }
      const path = join(here.path, name)
      if (pending.length > 0) {
        if (!confines.isPassable(path)) throw outside()
        await step(here, name)
      } else {
        if (confines.isHidden(path)) throw outside()
        const spot = await arrive(here, name)
        if (spot === undefined) continue
        refuseGuarded(path)
        return spot
      }
    }
  }

  return { go, close }
}

async function isLink(here: Directory, name: string): Promise<boolean> {
  return (await lstatOf(here, name))?.isSymbolicLink() ?? false
}

async function lstatOf(here: Directory, name: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(below(here, name), { bigint: true })
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
