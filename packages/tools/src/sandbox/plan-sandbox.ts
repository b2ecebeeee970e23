import { existsSync } from 'node:fs'
import type { Directory } from '../files/directory.ts'
import { isBelow, isWithin } from '../protected/path-order.ts'
import type { Access, ProtectedSet } from '../protected/protected-set.ts'
import { createPlaceholders } from './placeholders.ts'
import { type Held, protectMounts } from './protect-mounts.ts'
import type { Mount, SandboxPlan } from './sandbox-argv.ts'
import { createSystemMounts, type SystemMounts, type SystemMountsOptions } from './system-mounts.ts'

export interface SandboxOptions extends SystemMountsOptions {
  readonly protectedSet: ProtectedSet
  readonly network: boolean
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
  plan(call: SandboxedCall): Promise<PlannedSandbox>
}

export function createSandboxPlanner({ protectedSet, network, stateDir, ...options }: SandboxOptions): SandboxPlanner {
  const placeholders = createPlaceholders(stateDir)
  let system: SystemMounts | undefined
  const systemMounts = (): SystemMounts => (system ??= createSystemMounts(protectedSet.look(), options))
  return {
    get home() {
      return systemMounts().home
    },
    async plan(call) {
      const { cwd, roots, readable, granted, named, firstFd } = call
      const { home, trees, mounts } = systemMounts()
      const held: Held[] = []
      const taken: string[] = []
      const fds = roots.map(({ handle }) => handle.fd)
      const hold = (one: Held): number => {
        held.push(one)
        return (firstFd ?? 0) + fds.push(one.fd) - 1
      }
      const isInRoot = (path: string): boolean => roots.some((root) => isBelow(path, root.path))
      const close = async (): Promise<void> => {
        await Promise.all(held.map((one) => one.close()))
        for (const path of taken) placeholders.giveBack(path)
      }
      try {
        const protecting = await protectMounts({
          view: protectedSet.look(),
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

const isGranted = (path: string, granted: SandboxedCall['granted']): boolean =>
  granted === 'all' || granted.some((one) => isWithin(path, one))

const toMount = ({ path, access }: NamedPath): Mount => ({ type: access, path })
