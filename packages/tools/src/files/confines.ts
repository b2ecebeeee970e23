// Which paths a session's tools may touch, by name and by identity.
import type { Grant, RootPin, Workspace } from '@polylogue/engine'
import type { BigIntStats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { isBelow, isWithin } from '../protected/path-order.ts'
import type { Access, ProtectedEntry, ProtectedSet, ProtectedView } from '../protected/protected-set.ts'
import { codeOf } from './file-problem.ts'

export interface Confines {
  /** The first root on an absolute path, and the remaining path, which may contain `..` and `.`. */
  locate(path: string): Location | undefined
  /** By name: a secret of the server that is not inside a deeper root. */
  isHidden(path: string): boolean
  /** Not hidden, or an ancestor of a deeper root. */
  isPassable(path: string): boolean
  /** By identity: a secret that is reached under another name. */
  isHiddenTwin(path: string, stats: BigIntStats): boolean
  /** By identity: a guarded file that is reached by another hard link. */
  guardedTwin(path: string, stats: BigIntStats): string | undefined
  /** Whether this call may touch the path: it is not guarded, or the call's grant names it. */
  isOpen(path: string, access: Access): boolean
}

export interface Location {
  /** Without links. */
  readonly root: string
  readonly pin?: RootPin
  readonly parts: readonly string[]
}

/** Decides about a guarded path: by the call's grant, or before there is a grant. */
export type GuardPermit = (path: string) => boolean

export interface Confiner {
  /** Without a permit every guarded path is closed. */
  confine(workspace: Workspace, permit?: GuardPermit): Promise<Confines>
}

export function permitOf({ call: { guarded = [] } }: Grant): GuardPermit {
  if (guarded === 'all') return () => true
  return (path) => guarded.some((granted) => isWithin(path, granted))
}

export function createConfiner(protectedSet: ProtectedSet): Confiner {
  // Keep the last known identity, so that a protected directory stays protected after it is moved.
  const identities = new Map<string, string>()
  return {
    async confine(workspace, permit = () => false) {
      const view = protectedSet.look()
      const known = view.entries.filter(({ grade, isReadAtStart }) => grade === 'secret' || isReadAtStart)
      await Promise.all(
        known.map(async ({ path }) => {
          const identity = await identify(path)
          if (identity !== undefined) identities.set(path, identity)
        }),
      )
      return createConfines({ roots: await resolveRoots(workspace), view, identities, permit })
    },
  }
}

interface Root {
  readonly spelled: string
  readonly real: string
  /** The outermost root that contains it, and the path from there. That root is opened. */
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
    const real = outer
      ? join(outer.real, relative(outer.spelled, spelled))
      : (named ?? (await realpathOfMaybe(spelled)))
    const around = resolved.find((root) => isWithin(real, root.start.path))
    const start = around?.start ?? { path: real, ...(pin && { pin }) }
    resolved.push({ spelled, real, start, way: relative(start.path, real).split('/').filter(Boolean) })
  }
  return resolved
}

interface ConfinesParts {
  readonly roots: readonly Root[]
  readonly view: ProtectedView
  readonly identities: ReadonlyMap<string, string>
  readonly permit: GuardPermit
}

function createConfines({ roots, view, identities, permit }: ConfinesParts): Confines {
  const secrets = view.entries.filter(({ grade }) => grade === 'secret')
  const isHidden = (path: string): boolean =>
    secrets.some(
      (secret) =>
        isWithin(path, secret.path) && !roots.some(({ real }) => isBelow(real, secret.path) && isWithin(path, real)),
    )
  return {
    isHidden,
    isPassable: (path) => !isHidden(path) || roots.some(({ real }) => isBelow(real, path)),
    isOpen(path, access) {
      // A root that the user named is never hidden.
      const isOpened = (entry: ProtectedEntry): boolean =>
        roots.some(({ real }) => isWithin(real, entry.path) && isWithin(path, real))
      const guards = view.find(path, access).filter((entry) => entry.grade === 'guarded' && !isOpened(entry))
      return guards.length === 0 || permit(path)
    },
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
    isHiddenTwin: (path, stats) =>
      view.findTwin(path, stats)?.grade === 'secret' ||
      [...identities].some(([secret, identity]) => identity === `${stats.dev}:${stats.ino}` && secret !== path),
    guardedTwin(path, stats) {
      const twin = view.findTwin(path, stats)
      return twin?.grade === 'guarded' ? twin.path : undefined
    },
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

/** The path may not exist. Links are resolved in the existing part. */
async function realpathOfMaybe(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    const parent = dirname(path)
    return parent === path ? path : join(await realpathOfMaybe(parent), basename(path))
  }
}
