import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { isWithin } from '../protected/path-order.ts'
import type { ProtectedView } from '../protected/protected-set.ts'
import { realPathOf } from '../real-path.ts'
import { findInstallRoots } from './install-roots.ts'
import type { Mount } from './sandbox-argv.ts'

/** The folders of system programs. On most systems some of them are links into `/usr`. */
const PROGRAMS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix', '/gnu', '/snap']

/** Names, certificates and settings that programs need. Each mount adds half a millisecond to every command. */
const SETTINGS = [
  'passwd group hosts resolv.conf nsswitch.conf protocols services localtime os-release ld.so.cache alternatives',
  'ssl/certs ssl/openssl.cnf pki/ca-trust pki/tls/certs pki/tls/openssl.cnf',
].flatMap((line) => line.split(' ').map((name) => `/etc/${name}`))

const MACHINE = ['/sys/devices/system/cpu']

export interface SystemMountsOptions {
  /** Default: the value of this process. */
  readonly path?: string
  readonly home?: string
  /** Paths that the operator adds. */
  readonly readable?: readonly string[]
}

/** The mounts of every sandboxed command besides its workspace. */
export interface SystemMounts {
  readonly mounts: readonly Mount[]
  /** The mounts that contain files of the machine. */
  readonly trees: readonly string[]
  readonly home: string
}

/** Inspects the machine. Call it once and use the result for every command. */
export function createSystemMounts(view: ProtectedView, options: SystemMountsOptions = {}): SystemMounts {
  const home = homeOf(options.home)
  const roots = findInstallRoots(options.path ?? process.env['PATH'] ?? '', home).filter(
    (root) => !PROGRAMS.some((folder) => isWithin(root.path, folder)) && view.find(root.path, 'read').length === 0,
  )
  const added = (options.readable ?? []).map((path) => expandHome(path, home)).filter(existsSync)
  const trees = [...new Set([...roots.map(({ path }) => path), ...added.map(realPathOf)])]
  const isMounted = (path: string): boolean => [...PROGRAMS, ...trees].some((tree) => isWithin(path, tree))
  const links = roots.flatMap((root) => root.links).filter(({ path }) => !isMounted(path))
  return {
    home,
    trees: [...PROGRAMS, ...trees],
    mounts: [
      ...PROGRAMS.flatMap(mountProgram),
      ...[...SETTINGS, ...MACHINE].filter(existsSync).map((path) => ({ type: 'read', path }) as const),
      ...['/tmp', '/run', '/var/tmp', ...(home === '/' ? [] : [home])].map(
        (path) => ({ type: 'scratch', path }) as const,
      ),
      ...trees.map((path) => ({ type: 'read', path }) as const),
      ...links.map((link) => ({ type: 'link', ...link }) as const),
    ],
  }
}

function homeOf(given: string | undefined): string {
  const home = resolve(given ?? process.env['HOME'] ?? homedir())
  return realPathOf(home)
}

export function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? resolve(home, path.slice(2)) : path
}

function mountProgram(path: string): readonly Mount[] {
  if (!existsSync(path)) return []
  return lstatSync(path).isSymbolicLink()
    ? [{ type: 'link', path, target: readlinkSync(path) }]
    : [{ type: 'read', path }]
}
