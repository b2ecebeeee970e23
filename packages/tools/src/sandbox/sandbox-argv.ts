// The arguments of bubblewrap. The sandbox starts with an empty root and contains only these mounts. The process
// namespace ends with its first process, so no child process can outlive it.
import { posix } from 'node:path'

/** One path of the sandbox. */
export type Mount =
  /** The same file or folder of the machine. `fd` refers to the open folder, even if its name now leads elsewhere. */
  | { readonly type: 'read' | 'write'; readonly path: string; readonly fd?: number }
  | { readonly type: 'link'; readonly path: string; readonly target: string }
  /** An empty, writable folder that disappears with the sandbox. */
  | { readonly type: 'scratch'; readonly path: string }
  /** Another folder of the machine, writable. */
  | { readonly type: 'cache'; readonly path: string; readonly source: string }
  /** Hides the content of the path and makes it read-only. */
  | { readonly type: 'hidden'; readonly path: string; readonly isFolder: boolean }

export interface SandboxPlan {
  readonly cwd: string
  readonly mounts: readonly Mount[]
  readonly network: boolean
}

/** The size limit of each temporary folder, which lives in memory. */
const SCRATCH_BYTES = 1024 * 1024 * 1024

/** Root owns some kernel settings and can write them even without capabilities. */
const KERNEL = ['--ro-bind', '/proc/sys', '/proc/sys', '--ro-bind-try', '/proc/sysrq-trigger', '/proc/sysrq-trigger']
/** Files in memory need a limit: no command has them as its own memory. */
const SHARED_MEMORY = ['--size', String(SCRATCH_BYTES), '--tmpfs', '/dev/shm', '--remount-ro', '/dev']
const DEVICES = ['--dev', '/dev', ...SHARED_MEMORY, '--proc', '/proc', ...KERNEL]
const APART = ['--unshare-user-try', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try']
const BOUND = ['--die-with-parent', '--new-session', '--cap-drop', 'ALL']

export function buildSandboxArgv({ cwd, mounts, network }: SandboxPlan): readonly string[] {
  const inOrder = sortMounts(mounts)
  const isWholeMachine = inOrder.some(({ path, type }) => path === '/' && type === 'write')
  const atRoot = inOrder.filter(({ path }) => path === '/')
  const below = inOrder.filter(({ path }) => path !== '/')
  // This comes after all mounts, because nothing can be mounted inside a hidden folder.
  const closed = below.filter(({ type }) => type === 'hidden').filter((mount) => 'isFolder' in mount && mount.isFolder)
  return [
    ...atRoot.flatMap(toArgv),
    ...DEVICES,
    ...below.flatMap(toArgv),
    ...closed.flatMap(({ path }) => ['--remount-ro', path]),
    ...(isWholeMachine ? [] : ['--remount-ro', '/']),
    ...APART,
    ...BOUND,
    ...(network ? [] : ['--unshare-net']),
    ...['--chdir', cwd],
  ]
}

function toArgv(mount: Mount): readonly string[] {
  const { path } = mount
  switch (mount.type) {
    case 'read':
      return mount.fd === undefined ? ['--ro-bind-try', path, path] : ['--ro-bind-fd', String(mount.fd), path]
    case 'write':
      return mount.fd === undefined ? ['--bind', path, path] : ['--bind-fd', String(mount.fd), path]
    case 'link':
      return ['--symlink', mount.target, path]
    case 'cache':
      return ['--bind', mount.source, path]
    case 'scratch':
      return ['--size', String(SCRATCH_BYTES), '--tmpfs', path]
    case 'hidden':
      return mount.isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path]
  }
}

/** The order of mounts at the same path: later ones cover earlier ones. */
const RANKS: { readonly [type in Mount['type']]: number } = {
  link: 0,
  scratch: 1,
  cache: 2,
  hidden: 3,
  read: 4,
  write: 5,
}

/** Outer folders come first, because a mount covers earlier mounts below its path. */
function sortMounts(mounts: readonly Mount[]): readonly Mount[] {
  return mounts.toSorted((a, b) => depthOf(a.path) - depthOf(b.path) || RANKS[a.type] - RANKS[b.type])
}

function depthOf(path: string): number {
  return posix.normalize(path).split('/').filter(Boolean).length
}
