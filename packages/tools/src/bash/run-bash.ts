import { randomBytes } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject, ToolInvocation, ToolOutput } from '@polylogue/engine'
import { identityOf } from '../files/directory.ts'
import { SANDBOX_PROGRAM, type Sandbox, detectAbility } from '../sandbox/detect-sandbox.ts'
import type { PlannedSandbox } from '../sandbox/plan-sandbox.ts'
import { buildSandboxArgv } from '../sandbox/sandbox-argv.ts'
import { inspectCommand } from '../shell/inspect-command.ts'
import type { NamedPath } from '../shell/named-paths.ts'
import { BACKGROUND_MS, DEFAULT_TIMEOUT_MS, bashInput } from './bash-input.ts'
import { cleanEnvironment } from './clean-environment.ts'
import type { SandboxArgv } from './command-argv.ts'
import { createCommandCgroup } from './command-cgroup.ts'
import { DEFAULT_LIMITS } from './command-limits.ts'
import { type BashParts, placeOf, requireSandbox } from './command-place.ts'
import { describeEnd } from './describe-end.ts'
import { findShell } from './find-shell.ts'
import { createKeptOutput } from './kept-output.ts'
import { createLiveText } from './live-text.ts'
import { type OpenRoots, openRoots } from './open-roots.ts'
import { openOutputPipe } from './output-pipe.ts'
import { pruneOutputs } from './prune-outputs.ts'
import { type ReadingParts, prepareReading } from './reading-parts.ts'
import { type CommandEnd, runCommand } from './run-command.ts'
import { runInTerminal } from './run-in-terminal.ts'
import { forgetRunning, noteRunning } from './running-calls.ts'
import { BASH_TOOL, FIRST_FOLDER_FD, spawnCommand } from './spawn-command.ts'

const MOST_OUTPUT_BYTES = 64 * 1024 * 1024

/** One call from its grant to its result. Rejects with a sentence when it may not run as it was judged. */
export async function runBash(invocation: ToolInvocation, parts: BashParts): Promise<ToolOutput> {
  const { signal, sessionId, workspace, grant } = invocation
  const { stateDir, outputDir } = parts.options
  signal.throwIfAborted()
  const { command } = bashInput.parse(invocation.input)
  const sandbox = await requireSandbox(parts.options)
  const { guarded } = await inspectCommand(command, await placeOf(workspace, parts))
  requireGranted(guarded, grant.call.guarded ?? [])
  const roots = await openRoots(workspace)
  const outputs = join(outputDir, safeName(sessionId))
  const marker = randomBytes(16).toString('hex')
  let reading: ReadingParts | undefined
  try {
    await mkdir(outputs, { recursive: true, mode: 0o700 })
    await pruneOutputs(outputs)
    if (grant.call.isHarmless) reading = await prepareReading(command, workspace, join(stateDir, 'git', marker))
    const isOwn = sandbox === 'bubblewrap' && invocation.userId === parts.options.ownUser
    const identity = isOwn ? await parts.gitIdentity() : undefined
    return await runIn({ sandbox, roots, outputs, marker, guarded, reading, identity }, invocation, parts)
  } finally {
    await reading?.remove()
    await roots.close()
  }
}

/** A link may have been swapped since the call was judged. */
function requireGranted(guarded: readonly NamedPath[], granted: readonly string[] | 'all'): void {
  if (granted === 'all') return
  const other = guarded.find(({ path }) => !granted.includes(path))
  if (other) throw new Error(`${other.path} is protected, and this call was not allowed to touch it`)
}

interface CommandPlace {
  readonly sandbox: Sandbox
  readonly roots: OpenRoots
  readonly outputs: string
  readonly marker: string
  /** Protected paths that the command names. */
  readonly guarded: readonly NamedPath[]
  readonly reading: ReadingParts | undefined
  /** A Git configuration with the committer. */
  readonly identity: string | undefined
}

async function runIn(place: CommandPlace, invocation: ToolInvocation, parts: BashParts): Promise<ToolOutput> {
  const { command, background = false, ...given } = bashInput.parse(invocation.input)
  const timeoutMs = background ? BACKGROUND_MS : (given.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  const { grant, workspace, sessionId, toolCallId, signal } = invocation
  const { stateDir, mostOutputBytes: mostBytes = MOST_OUTPUT_BYTES, shell = findShell(), editorOf } = parts.options
  const { sandbox, roots, outputs, marker, reading } = place
  const isConfined = sandbox === 'bubblewrap'
  const environment = cleanEnvironment(process.env, addedEnvironment(place, parts), marker)
  const { tool = BASH_TOOL } = parts
  const start = {
    tool,
    grant,
    command,
    cwd: workspace.cwd,
    shell,
    environment: reading?.change(environment) ?? environment,
    launchers: join(stateDir, 'terminals'),
  }
  const commandLimits = { ...DEFAULT_LIMITS, ...parts.options.limits }
  const group = createCommandCgroup(marker, commandLimits)
  const limits = { timeoutMs, mostBytes, command: commandLimits }
  const bounds = { limits: commandLimits, groups: group?.folders ?? [] }
  const run = { marker, timeoutMs, signal, ...(isConfined && { holder: SANDBOX_PROGRAM }) }
  const planned: PlannedSandbox[] = []
  const confine = async (mountBy: 'descriptor' | 'name'): Promise<PlannedSandbox> => {
    const one = await planFor({ ...place, mountBy }, invocation, parts)
    planned.push(one)
    return one
  }
  await noteRunning(stateDir, marker)
  try {
    // An editor's terminal belongs to one call of Bash.
    const hasTerminal = !background && tool === BASH_TOOL
    const terminals = hasTerminal ? editorOf?.(sessionId)?.terminals : undefined
    if (terminals) {
      const named = isConfined && { sandbox: await toArgv(await confine('name'), roots) }
      const shown = await runInTerminal({ ...run, terminals, toolCallId, start: { ...start, ...named } })
      if (shown) return toOutput(shown.end, shown.printed, { sandbox, limits, more: { terminal: true } })
    }
    const held = isConfined
      ? await holdIn(await confine((await detectAbility()).mountsBy), roots)
      : { folder: roots.cwd }
    const output = createKeptOutput({ path: join(outputs, `${marker.slice(0, 12)}.txt`), mostBytes })
    const end = await runCommand({
      ...run,
      pipe: await openOutputPipe(join(stateDir, `${marker}.pipe`)),
      output,
      live: createLiveText(invocation.progress),
      mostBytes,
      start: (outputFd) => spawnCommand({ ...start, ...held, bounds, outputFd }),
      ...(group ? {} : { watched: commandLimits }),
    })
    const more = { outputBytes: output.bytes }
    return toOutput(end, output.text(), { sandbox, limits: { ...limits, usage: group?.usage() }, more })
  } finally {
    for (const one of planned) await one.close()
    await group?.remove()
    await forgetRunning(stateDir, marker)
  }
}

/** Editors start their terminals themselves, so folders can only be mounted by name. */
function planFor(
  { roots, outputs, guarded, reading, identity, mountBy }: CommandPlace & { readonly mountBy: 'descriptor' | 'name' },
  { workspace, grant }: ToolInvocation,
  { planner, options }: BashParts,
): Promise<PlannedSandbox> {
  const own = [outputs, ...(identity === undefined ? [] : [identity])]
  const readable = [...own, ...(workspace.readable ?? []), ...(options.skills ?? []), ...(reading?.folders ?? [])]
  return planner.plan({
    cwd: workspace.cwd,
    roots: roots.directories,
    readable: readable.map(realPath),
    granted: grant.call.guarded ?? [],
    named: guarded,
    ...(mountBy === 'descriptor' && { firstFd: FIRST_FOLDER_FD }),
  })
}

async function holdIn(planned: PlannedSandbox, roots: OpenRoots) {
  return { folder: '/', folderFds: planned.fds, sandbox: await toArgv(planned, roots) }
}

/** Folders that were mounted by name are checked again inside the sandbox. */
async function toArgv({ plan }: PlannedSandbox, { directories }: OpenRoots): Promise<SandboxArgv> {
  const isByName = plan.mounts.some((mount) => mount.type === 'write' && mount.fd === undefined)
  const expected = isByName
    ? await Promise.all(directories.map(async ({ path, handle }) => ({ path, identity: await identityOf(handle) })))
    : []
  return { file: SANDBOX_PROGRAM, args: buildSandboxArgv(plan), expected }
}

function addedEnvironment(
  { sandbox, identity }: CommandPlace,
  { options, planner }: BashParts,
): Record<string, string> {
  const { environment = {} } = options
  if (sandbox !== 'bubblewrap') return { ...environment }
  return {
    TMPDIR: '/tmp',
    HOME: planner.home,
    ...(identity !== undefined && { GIT_CONFIG_GLOBAL: realPath(identity) }),
    ...environment,
  }
}

interface OutputNotes {
  readonly sandbox: Sandbox
  readonly limits: Parameters<typeof describeEnd>[1]
  readonly more: JsonObject
}

function toOutput(end: CommandEnd, printed: string, { sandbox, limits, more }: OutputNotes): ToolOutput {
  const remarks = describeEnd(end, limits)
  const { exitCode, signal, stopped, leftovers, survivors } = end
  return {
    content: [printed.replace(/\n$/, ''), remarks].filter((text) => text !== '').join('\n') || '(no output)',
    ...(exitCode === 0 && stopped === undefined && survivors === 0 ? {} : { isError: true }),
    meta: {
      sandbox,
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(signal === undefined ? {} : { signal }),
      ...(stopped === undefined ? {} : { stopped }),
      ...(leftovers === 0 ? {} : { leftovers }),
      ...more,
    },
  }
}

/** In the sandbox a link may lead elsewhere or nowhere. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}

function safeName(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 80)
}
