import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Grant, ToolInvocation, ToolOutput } from '@polylogue/engine'
import { SANDBOX_PROGRAM, type Sandbox, detectAbility } from '../sandbox/detect-sandbox.ts'
import { openNetworkEvidence } from '../sandbox/network-evidence.ts'
import type { PlannedSandbox } from '../sandbox/plan-sandbox.ts'
import type { SandboxPlan } from '../sandbox/sandbox-argv.ts'
import type { ToolCache } from '../sandbox/tool-caches.ts'
import { type CommandInspection, inspectCommand } from '../shell/inspect-command.ts'
import { BACKGROUND_MS, DEFAULT_TIMEOUT_MS, bashInput } from './bash-input.ts'
import { cleanEnvironment } from './clean-environment.ts'
import { createCommandCgroup } from './command-cgroup.ts'
import { DEFAULT_LIMITS } from './command-limits.ts'
import { type ConfinedRun, toCommandOutput } from './command-output.ts'
import { type BashParts, placeOf, requireSandbox } from './command-place.ts'
import { type CommandConfines, addedEnvironment, holdIn, planFor, toArgv } from './confine-command.ts'
import { findShell } from './find-shell.ts'
import { createKeptOutput } from './kept-output.ts'
import { createLiveText } from './live-text.ts'
import { openRoots } from './open-roots.ts'
import { openOutputPipe } from './output-pipe.ts'
import { pruneOutputs } from './prune-outputs.ts'
import { type ReadingParts, prepareReading } from './reading-parts.ts'
import { runCommand } from './run-command.ts'
import { runInTerminal } from './run-in-terminal.ts'
import { forgetRunning, noteRunning } from './running-calls.ts'
import { BASH_TOOL, spawnCommand } from './spawn-command.ts'

const MOST_OUTPUT_BYTES = 64 * 1024 * 1024

/** One call from its grant to its result. Rejects with a sentence when it may not run as it was judged. */
export async function runBash(invocation: ToolInvocation, parts: BashParts): Promise<ToolOutput> {
  const { signal, sessionId, workspace, grant, userId } = invocation
  const { stateDir, outputDir } = parts.options
  signal.throwIfAborted()
  const { command } = bashInput.parse(invocation.input)
  const sandbox = await requireSandbox(parts.options, grant.call.place)
  const inspection = await inspectCommand(command, await placeOf(workspace, parts))
  requireAsJudged(inspection, grant, sandbox)
  const roots = await openRoots(workspace)
  const outputs = join(outputDir, safeName(sessionId))
  const marker = randomBytes(16).toString('hex')
  let reading: ReadingParts | undefined
  let cache: ToolCache | undefined
  try {
    await mkdir(outputs, { recursive: true, mode: 0o700 })
    await pruneOutputs(outputs)
    const isConfined = sandbox === 'bubblewrap'
    if (grant.call.isHarmless) {
      const folder = join(stateDir, 'git', marker)
      reading = await prepareReading(command, workspace, { folder, isContained: isConfined })
    }
    const identity = isConfined && userId === parts.options.ownUser ? await parts.gitIdentity() : undefined
    const hasCache = isConfined && reading === undefined && grant.call.place === undefined
    if (hasCache) cache = await parts.caches.take({ userId, workspace: workspace.cwd })
    const place = { sandbox, roots, outputs, marker, inspection, reading, identity, cache: cache?.folder }
    return await runIn(place, invocation, parts)
  } finally {
    await cache?.giveBack()
    await reading?.remove()
    await roots.close()
  }
}

/** A link may have been swapped since the call was judged. */
function requireAsJudged({ facts, guarded }: CommandInspection, { call }: Grant, sandbox: Sandbox): void {
  // A sandbox hides it.
  if (facts.outside !== undefined && sandbox === 'none')
    throw new Error(`${facts.outside} belongs to the server: no call may touch it`)
  if (call.isHarmless && facts.risk !== 'safe')
    throw new Error('the command no longer only reads the workspace; call again to be asked')
  const granted = call.guarded ?? []
  if (granted === 'all' || call.place === 'outside') return
  const other = guarded.find(({ path }) => !granted.includes(path))
  if (other) throw new Error(`${other.path} is protected, and this call was not allowed to touch it`)
}

async function runIn(place: CommandConfines, invocation: ToolInvocation, parts: BashParts): Promise<ToolOutput> {
  const { command, background = false, ...given } = bashInput.parse(invocation.input)
  const timeoutMs = background ? BACKGROUND_MS : (given.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  const { grant, workspace, sessionId, toolCallId, signal } = invocation
  const { stateDir, mostOutputBytes: mostBytes = MOST_OUTPUT_BYTES, shell = findShell(), editorOf } = parts.options
  const { sandbox, roots, outputs, marker, reading, inspection } = place
  const isConfined = sandbox === 'bubblewrap'
  const environment = cleanEnvironment(process.env, addedEnvironment(place, invocation, parts), marker)
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
  const confinedBy = (plan: SandboxPlan | undefined, wasNetworkRefused: boolean): ConfinedRun | undefined =>
    plan && { plan, wasNetworkRefused, inspection, invocation, options: parts.options }
  await noteRunning(stateDir, marker)
  try {
    // An editor's terminal belongs to one call of Bash.
    const hasTerminal = !background && tool === BASH_TOOL
    const terminals = hasTerminal ? editorOf?.(sessionId)?.terminals : undefined
    if (terminals) {
      const one = isConfined ? await confine('name') : undefined
      const named = one && { sandbox: await toArgv(one, roots) }
      const { progress } = invocation
      const shown = await runInTerminal({ ...run, terminals, toolCallId, progress, start: { ...start, ...named } })
      const confined = confinedBy(one?.plan, false)
      if (shown)
        return toCommandOutput(shown.end, shown.printed, { sandbox, limits, confined, more: { terminal: true } })
    }
    const one = isConfined ? await confine((await detectAbility()).mountsBy) : undefined
    const held = one ? await holdIn(one, roots) : { folder: roots.cwd }
    const evidence =
      one?.plan.network === false ? await openNetworkEvidence(join(stateDir, `${marker}.net`)) : undefined
    try {
      const output = createKeptOutput({ path: join(outputs, `${marker.slice(0, 12)}.txt`), mostBytes })
      const end = await runCommand({
        ...run,
        pipe: await openOutputPipe(join(stateDir, `${marker}.pipe`)),
        output,
        live: createLiveText(invocation.progress),
        mostBytes,
        start: (outputFd) => spawnCommand({ ...start, ...held, bounds, outputFd, evidenceFd: evidence?.fd }),
        ...(group ? {} : { watched: commandLimits }),
      })
      const confined = confinedBy(one?.plan, (await evidence?.wasRefused()) ?? false)
      const more = { outputBytes: output.bytes }
      return toCommandOutput(end, output.text(), {
        sandbox,
        limits: { ...limits, usage: group?.usage() },
        more,
        confined,
      })
    } finally {
      await evidence?.close()
    }
  } finally {
    for (const one of planned) await one.close()
    await group?.remove()
    await forgetRunning(stateDir, marker)
  }
}

function safeName(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 80)
}
