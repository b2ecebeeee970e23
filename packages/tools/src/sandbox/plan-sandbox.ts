import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Directory, openRoot } from '../files/directory.ts'
import { holdRoot } from '../files/hold-root.ts'
import { isBelow, isWithin } from '../protected/path-order.ts'
import type { Access, ProtectedSet, ProtectedView } from '../protected/protected-set.ts'
import { createPlaceholders } from './placeholders.ts'
import { type Held, protectMounts } from './protect-mounts.ts'
import type { Mount, SandboxPlan } from './sandbox-argv.ts'
import { createSystemMounts, type SystemMounts, type SystemMountsOptions } from './system-mounts.ts'

export interface SandboxOptions extends SystemMountsOptions {
  readonly protectedSet: ProtectedSet
  /** For state that must survive a crash. */
  readonly stateDir: string
}

/** The access of one command. */
export interface SandboxedCall {
  readonly cwd: string
  readonly roots: readonly Directory[]
  /** Folders of the session that are read-only for it. */
  readonly readable: readonly string[]
  /** Protected paths that the call may touch, and the ones that it names. */
  readonly granted: readonly string[] | 'all'
  readonly named: readonly NamedPath[]
  readonly network: boolean
  /** Folders outside of the workspace that it may write to. */
  readonly writable?: readonly string[]
  /** The folder that it sees as `~/.cache`. */
  readonly cache?: string
  /** Shows the whole machine, writable, except for the server's own files. */
  readonly isMachine?: boolean
  /** The first folder descriptor in the sandbox program. If absent, folders are mounted by name. */
  readonly firstFd?: number
}

export interface NamedPath {
  /** Absolute, with links resolved. */
  readonly path: string
  readonly access: Access
}

export interface PlannedSandbox {
  readonly plan: SandboxPlan
  /** Passed to the sandbox program, starting at `firstFd`. */
  readonly fds: readonly number[]
  /** Call it after the command has ended. */
  close(): Promise<void>
}

export interface SandboxPlanner {
  /** The home directory of commands. */
  readonly home: string
  /** Where commands see their cache. `undefined` if these roots show the real home directory. */
  cachePath(roots: readonly string[]): string | undefined
  plan(call: SandboxedCall): Promise<PlannedSandbox>
}

export function createSandboxPlanner({ protectedSet, stateDir, ...options }: SandboxOptions): SandboxPlanner {
  const placeholders = createPlaceholders(stateDir)
  let system: SystemMounts | undefined
  const systemMounts = (): SystemMounts => (system ??= createSystemMounts(protectedSet.look(), options))
  return {
    get home() {
      return systemMounts().home
    },
    cachePath(roots) {
      const { home } = systemMounts()
      return home === '/' || roots.some((root) => isWithin(home, root)) ? undefined : join(home, '.cache')
    },
    async plan(call) {
      const { cwd, readable, granted, named, network, writable = [], cache, isMachine = false, firstFd } = call
      const machine = isMachine ? await openRoot('/') : undefined
      const roots = machine ? [machine, ...call.roots] : call.roots
      const { home, ...system } = systemMounts()
      const { trees, mounts } = machine ? { trees: [], mounts: [] } : system
      const cachePath = cache === undefined ? undefined : this.cachePath(roots.map(({ path }) => path))
      const held: Held[] = []
      const taken: string[] = []
      const fds = roots.map(({ handle }) => handle.fd)
      const hold = (one: Held): number => {
        held.push(one)
        return (firstFd ?? 0) + fds.push(one.fd) - 1
      }
      const isInRoot = (path: string): boolean => roots.some((root) => isBelow(path, root.path))
      const close = async (): Promise<void> => {
        try {
          await machine?.handle.close()
          await Promise.all(held.map((one) => one.close()))
        } finally {
          for (const path of taken) placeholders.giveBack(path)
        }
      }
      const view = protectedSet.look()
      try {
        const protecting = await protectMounts({
          view,
          roots,
          trees,
          granted,
          placeholders,
          onPlaceholder: (path) => taken.push(path),
          ...(firstFd !== undefined && { hold }),
        })
        const all: readonly Mount[] = [
          // A workspace that contains the home directory exposes it.
          ...mounts.filter((mount) => !(mount.type === 'scratch' && mount.path === home && isInRoot(home))),
          ...roots.map(
            ({ path }, index) =>
              ({ type: 'write', path, ...(firstFd !== undefined && { fd: firstFd + index }) }) as const,
          ),
          ...(cache !== undefined && cachePath !== undefined
            ? [{ type: 'cache', path: cachePath, source: cache } as const]
            : []),
          ...(await mountWritable(writable, { view, ...(firstFd !== undefined && { hold }) })),
          ...readable.map((path) => ({ type: 'read', path }) as const),
          ...protecting,
          ...named.filter(({ path }) => existsSync(path) && isGranted(path, granted)).map(toMount),
        ]
        return { plan: { cwd, mounts: all, network }, fds, close }
      } catch (error) {
        await close()
        throw error
      }
    },
  }
}

interface WritableOptions {
  readonly view: ProtectedView
  readonly hold?: (one: Held) => number
}

/** Rejects with a sentence when a folder is no longer the one that was approved. */
async function mountWritable(folders: readonly string[], { view, hold }: WritableOptions): Promise<readonly Mount[]> {
  const mounts: Mount[] = []
  for (const path of folders) {
    const held = await holdRoot(path)
    if (held === undefined) throw new Error(`${path} is no longer a folder, or leads elsewhere`)
    if (hold) mounts.push({ type: 'write', path, fd: hold(held) })
    else {
      await held.close()
      mounts.push({ type: 'write', path })
    }
    const inside = view.entries.some((entry) => isWithin(entry.path, path) || isWithin(path, entry.path))
    if (inside) throw new Error(`${path} holds a protected path by now`)
  }
  return mounts
}

const isGranted = (path: string, granted: SandboxedCall['granted']): boolean =>
  granted === 'all' || granted.some((one) => isWithin(path, one))

const toMount = ({ path, access }: NamedPath): Mount => ({ type: access, path })
