// How one command is confined: its mounts, its environment and its start.
import type { ToolInvocation } from '@polylogue/engine'
import { identityOf } from '../files/directory.ts'
import { machineProgram } from '../machine-program.ts'
import { realPathOf } from '../real-path.ts'
import { cacheEnvironment } from '../sandbox/cache-environment.ts'
import { SANDBOX_PROGRAM, type Sandbox } from '../sandbox/detect-sandbox.ts'
import type { PlannedSandbox } from '../sandbox/plan-sandbox.ts'
import { buildSandboxArgv } from '../sandbox/sandbox-argv.ts'
import type { CommandInspection } from '../shell/inspect-command.ts'
import { proxyEnvironment } from './clean-environment.ts'
import type { SandboxArgv } from './command-argv.ts'
import type { BashParts } from './command-place.ts'
import type { OpenRoots } from './open-roots.ts'
import type { ReadingParts } from './reading-parts.ts'
import { FIRST_FOLDER_FD } from './spawn-command.ts'

export interface CommandConfines {
  readonly sandbox: Sandbox
  readonly roots: OpenRoots
  readonly outputs: string
  readonly marker: string
  readonly inspection: CommandInspection
  readonly reading: ReadingParts | undefined
  /** A Git configuration with the committer. */
  readonly identity: string | undefined
  /** The folder for caches of package managers. */
  readonly cache: string | undefined
}

/** Editors start their terminals themselves, so folders can only be mounted by name. */
export function planFor(
  {
    roots,
    outputs,
    inspection,
    reading,
    identity,
    cache,
    mountBy,
  }: CommandConfines & { mountBy: 'descriptor' | 'name' },
  invocation: ToolInvocation,
  { planner, options }: BashParts,
): Promise<PlannedSandbox> {
  const { workspace, grant } = invocation
  const own = [outputs, ...(identity === undefined ? [] : [identity])]
  const readable = [...own, ...(workspace.readable ?? []), ...(options.skills ?? []), ...(reading?.folders ?? [])]
  return planner.plan({
    cwd: workspace.cwd,
    roots: roots.directories,
    readable: readable.map(realPathOf),
    granted: grant.call.guarded ?? [],
    named: inspection.guarded,
    network: hasNetwork(invocation, { options }),
    writable: grant.call.writes ?? [],
    isMachine: grant.call.place === 'machine',
    ...(cache !== undefined && { cache }),
    ...(mountBy === 'descriptor' && { firstFd: FIRST_FOLDER_FD }),
  })
}

export const hasNetwork = ({ grant }: ToolInvocation, { options }: Pick<BashParts, 'options'>): boolean =>
  options.network === true || grant.call.network === true

export async function holdIn(planned: PlannedSandbox, roots: OpenRoots) {
  return { folder: '/', folderFds: planned.fds, sandbox: await toArgv(planned, roots) }
}

/** Folders that were mounted by name are checked again inside the sandbox. */
export async function toArgv({ plan }: PlannedSandbox, { directories }: OpenRoots): Promise<SandboxArgv> {
  const isByName = plan.mounts.some((mount) => mount.type === 'write' && mount.fd === undefined)
  const expected = isByName
    ? await Promise.all(directories.map(async ({ path, handle }) => ({ path, identity: await identityOf(handle) })))
    : []
  return { file: machineProgram(SANDBOX_PROGRAM), args: buildSandboxArgv(plan), expected }
}

export function addedEnvironment(
  { sandbox, identity, cache }: CommandConfines,
  invocation: ToolInvocation,
  parts: BashParts,
): Record<string, string> {
  const { environment = {}, ownUser } = parts.options
  const isOpen = sandbox === 'none' || hasNetwork(invocation, parts)
  const proxies = isOpen && invocation.userId === ownUser ? proxyEnvironment(process.env) : {}
  if (sandbox !== 'bubblewrap') return { ...proxies, ...environment }
  const cachePath = cache === undefined ? undefined : parts.planner.cachePath(invocation.workspace.roots)
  return {
    TMPDIR: '/tmp',
    HOME: parts.planner.home,
    ...proxies,
    ...(cachePath !== undefined && cacheEnvironment(cachePath)),
    ...(identity !== undefined && { GIT_CONFIG_GLOBAL: realPathOf(identity) }),
    ...environment,
  }
}
