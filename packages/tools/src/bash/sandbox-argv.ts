// The arguments of bubblewrap. The whole file system is there, but read-only; the workspace is writable; /tmp and /run
// are empty (sockets in /run reach daemons that run as root); hidden folders are empty; there is no network unless it
// is asked for. The process namespace ends with its first process, so nothing that was started can stay.
import { posix } from 'node:path'

export interface SandboxPlan {
  readonly cwd: string
  readonly writable: readonly WritableFolder[]
  /** Shown although they lie in a hidden folder. */
  readonly readable: readonly string[]
  /** Existing folders. */
  readonly hidden: readonly string[]
  readonly network: boolean
}

export interface WritableFolder {
  readonly path: string
  /** The number that the open folder has in the sandbox program. Absent: it is mounted by its name. */
  readonly fd?: number
}

/** Some settings of the kernel are root's by ownership, whatever capabilities it has lost. */
const KERNEL = ['--ro-bind', '/proc/sys', '/proc/sys', '--ro-bind-try', '/proc/sysrq-trigger', '/proc/sysrq-trigger']
const APART = ['--unshare-user-try', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try']
const BOUND = ['--die-with-parent', '--new-session', '--cap-drop', 'ALL']

export function buildSandboxArgv(plan: SandboxPlan): readonly string[] {
  const network = plan.network ? ['--ro-bind-try', '/run/systemd/resolve', '/run/systemd/resolve'] : ['--unshare-net']
  return [
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--tmpfs', '/run'],
    ...KERNEL,
    ...mountsOf(plan).flatMap(({ argv }) => argv),
    ...APART,
    ...BOUND,
    ...network,
    ...['--chdir', plan.cwd],
  ]
}

interface Mount {
  readonly path: string
  readonly argv: readonly string[]
}

/** Outer folders first: a mount covers what was mounted below it before. In the same place, the workspace is last. */
function mountsOf({ hidden, readable, writable }: SandboxPlan): readonly Mount[] {
  const mounts: Mount[] = [
    ...hidden.map((path) => ({ path, argv: ['--tmpfs', path] })),
    ...readable.map((path) => ({ path, argv: ['--ro-bind-try', path, path] })),
    ...writable.map(({ path, fd }) => ({
      path,
      argv: fd === undefined ? ['--bind', path, path] : ['--bind-fd', String(fd), path],
    })),
  ]
  return mounts.toSorted((a, b) => depthOf(a.path) - depthOf(b.path))
}

function depthOf(path: string): number {
  return posix.normalize(path).split('/').filter(Boolean).length
}
