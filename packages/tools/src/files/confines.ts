// Which paths a session's tools may touch, by name and by identity. Pure, but for what it looks up when it is made.
import type { RootPin, Workspace } from '@polylogue/engine'
import type { BigIntStats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { codeOf } from './file-problem.ts'

export interface Confines {
  /** The first root on the way of an absolute path, and the rest of the way, which may still hold `..` and `.`. */
  locate(path: string): Location | undefined
  /** By name: below a protected path, with no root deeper inside that it lies below. */
  isHidden(path: string): boolean
  /** Not hidden, or on the way to a root that lies deeper. */
  isPassable(path: string): boolean
  /** By identity: a protected file or directory that was met under another name than its own. */
  isHiddenTwin(path: string, stats: BigIntStats): boolean
}

export interface Location {
  /** Without links. */
  readonly root: string
  readonly pin?: RootPin
  readonly parts: readonly string[]
}

/** A protected path: nothing below it is for tools, whether it exists or not. */
export interface ProtectedPaths {
  confine(workspace: Workspace): Promise<Confines>
}

/** Throws a `TypeError` for a relative path, which would protect nothing. */
export function createProtectedPaths(paths: readonly string[]): ProtectedPaths {
  const relativePath = paths.find((path) => !isAbsolute(path))
  if (relativePath !== undefined) throw new TypeError(`protectedPaths: ${relativePath} is not an absolute path`)
  // The last known identity is kept: somebody who moves a protected directory away does not make it readable.
  const identities = new Map<string, string>()
  return {
    async confine(workspace) {
      const hidden = await Promise.all(
        paths.map(async (path) => {
          const real = await realpathOfMaybe(resolve(path))
          const identity = await identify(real)
          if (identity !== undefined) identities.set(real, identity)
          return real
        }),
      )
      return createConfines(await resolveRoots(workspace), hidden, identities)
    },
  }
}

interface Root {
  readonly spelled: string
  readonly real: string
  /** The outermost root that contains it, which is opened, and the way from there. */
  readonly start: Start
  readonly way: readonly string[]
}

interface Start {
  readonly path: string
  readonly pin?: RootPin
}

/**
 * A root inside another root is reached from the outer one, part by part. The name of such a root, and of one that is
 * pinned, is taken as it is: resolving it would trust whatever link was put in its place.
 */
async function resolveRoots({ roots, pins = [] }: Workspace): Promise<readonly Root[]> {
  const resolved: Root[] = []
  const spellings = roots.map((root) => resolve(root))
  for (const spelled of spellings.sort((one, other) => one.length - other.length)) {
    const outer = resolved.find((root) => isWithin(spelled, root.spelled))
    const pin = pins.find(({ path }) => path === spelled)
    const named = pin ? spelled : undefined
    const real = outer ? join(outer.real, relative(outer.spelled, spelled)) : (named ?? (await realpathOfMaybe(spelled)))
    const around = resolved.find((root) => isWithin(real, root.start.path))
    const start = around?.start ?? { path: real, ...(pin && { pin }) }
    resolved.push({ spelled, real, start, way: relative(start.path, real).split('/').filter(Boolean) })
  }
  return resolved
}

function createConfines(
  roots: readonly Root[],
  hidden: readonly string[],
  identities: ReadonlyMap<string, string>,
): Confines {
  const isHidden = (path: string): boolean =>
    hidden.some(
      (secret) => isWithin(path, secret) && !roots.some(({ real }) => isBelow(real, secret) && isWithin(path, real)),
    )
  return {
    isHidden,
    isPassable: (path) => !isHidden(path) || roots.some(({ real }) => isBelow(real, path)),
    locate(path) {
      const parts = path.split('/')
      const before: string[] = []
      for (let at = 0; ; at += 1) {
        const here = `/${before.join('/')}`
        const root = roots.find(({ spelled, real }) => spelled === here || real === here)
        if (root) {
          const { path: start, pin } = root.start
          return { root: start, ...(pin && { pin }), parts: [...root.way, ...parts.slice(at)] }
        }
        const next = parts[at]
        if (next === undefined) return undefined
        if (next === '..') before.pop()
        else if (next !== '' && next !== '.') before.push(next)
      }
    },
    isHiddenTwin: (path, { dev, ino }) =>
      [...identities].some(([secret, identity]) => identity === `${dev}:${ino}` && secret !== path),
  }
}

async function identify(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path, { bigint: true })
    return `${dev}:${ino}`
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}

/** Of a path that need not exist: links are resolved as far as it does. */
async function realpathOfMaybe(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    const parent = dirname(path)
    return parent === path ? path : join(await realpathOfMaybe(parent), basename(path))
  }
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || isBelow(path, directory)
}

/** Part by part: `/work-evil` is not below `/work`. */
function isBelow(path: string, directory: string): boolean {
  return path !== directory && path.startsWith(directory.endsWith('/') ? directory : `${directory}/`)
}
