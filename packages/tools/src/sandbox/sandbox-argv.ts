// The arguments of bubblewrap. The sandbox starts from an empty root: it holds what is mounted here and nothing else.
// The process namespace ends with its first process, so nothing that was started can stay.
import { posix } from 'node:path'

/** Something at a path of the sandbox. */
export type Mount =
  /** The same file or folder of the machine. `fd`: the open one, whatever its name leads to now. */
  | { readonly type: 'read' | 'write'; readonly path: string; readonly fd?: number }
  | { readonly type: 'link'; readonly path: string; readonly target: string }
  /** An empty folder that commands may fill. It is gone with the sandbox. */
  | { readonly type: 'scratch'; readonly path: string }
  /** What is there cannot be seen, and nothing can be put there. */
  | { readonly type: 'hidden'; readonly path: string; readonly isFolder: boolean }

export interface SandboxPlan {
  readonly cwd: string
  readonly mounts: readonly Mount[]
  readonly network: boolean
}

/** Of each folder that commands may fill: it is memory. */
const SCRATCH_BYTES = 1024 * 1024 * 1024

/** Some settings of the kernel are root's by ownership, whatever capabilities it has lost. */
const KERNEL = ['--ro-bind', '/proc/sys', '/proc/sys', '--ro-bind-try', '/proc/sysrq-trigger', '/proc/sysrq-trigger']
const DEVICES = ['--dev', '/dev', '--proc', '/proc', ...KERNEL]
const APART = ['--unshare-user-try', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try']
const BOUND = ['--die-with-parent', '--new-session', '--cap-drop', 'ALL']

export function buildSandboxArgv({ cwd, mounts, network }: SandboxPlan): readonly string[] {
  const inOrder = sortMounts(mounts)
  const isWholeMachine = inOrder.some(({ path, type }) => path === '/' && type === 'write')
  const atRoot = inOrder.filter(({ path }) => path === '/')
  const below = inOrder.filter(({ path }) => path !== '/')
  // After all mounts: a folder that is closed takes no further ones.
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
    case 'scratch':
      return ['--size', String(SCRATCH_BYTES), '--tmpfs', path]
    case 'hidden':
      return mount.isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path]
  }
}

/** What covers what, at one and the same path. */
const RANKS: { readonly [type in Mount['type']]: number } = { link: 0, scratch: 1, hidden: 2, read: 3, write: 4 }

/** Outer folders first: a mount covers what was mounted below its path before. */
function sortMounts(mounts: readonly Mount[]): readonly Mount[] {
  return mounts.toSorted((a, b) => depthOf(a.path) - depthOf(b.path) || RANKS[a.type] - RANKS[b.type])
}

function depthOf(path: string): number {
  return posix.normalize(path).split('/').filter(Boolean).length
}
