import { randomBytes } from 'node:crypto'
import { accessSync, constants, existsSync, realpathSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { JsonObject, Tool, ToolInvocation, ToolOutput } from '@polylogue/engine'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import type { EditorOf } from '../editor/editor.ts'
import { inspectCommand } from '../shell/inspect-command.ts'
import { cleanEnvironment } from './clean-environment.ts'
import { describeEnd } from './describe-end.ts'
import { SANDBOX_PROGRAM, type Sandbox, detectSandbox } from './detect-sandbox.ts'
import type { CommandArgv } from './command-argv.ts'
import { createKeptOutput } from './kept-output.ts'
import { createLiveText } from './live-text.ts'
import { type OpenRoots, openRoots } from './open-roots.ts'
import { openOutputPipe } from './output-pipe.ts'
import { pruneOutputs } from './prune-outputs.ts'
import { type CommandEnd, runCommand } from './run-command.ts'
import { runInTerminal } from './run-in-terminal.ts'
import { forgetRunning, noteRunning } from './running-calls.ts'
import { toToolOutput } from '../tool-output.ts'
import { buildSandboxArgv } from './sandbox-argv.ts'
import { BASH_TOOL, FIRST_FOLDER_FD, spawnCommand } from './spawn-command.ts'

export interface BashToolOptions {
  /** For what must survive a crash; see `sweepLeftovers`. */
  readonly stateDir: string
  /** Long outputs go to a file below it, in a folder per session. */
  readonly outputDir: string
  /** `auto`: bubblewrap where it works. `required`: no command runs without it. Default `auto`. */
  readonly sandbox?: 'auto' | 'none' | 'required'
  /** Whether sandboxed commands have a network. Default: no. */
  readonly network?: boolean
  /** Folders that commands must not see: empty in the sandbox, and never shown unasked without one. */
  readonly hidden?: readonly string[]
  /** Default: bash, or `/bin/sh` where there is none. */
  readonly shell?: string
  /** Variables that commands get besides the usual ones. */
  readonly environment?: Readonly<Record<string, string>>
  /** Default 64 MiB: a command that prints more is stopped. */
  readonly mostOutputBytes?: number
  /** In whose terminals commands run, where it has some. Absent: they run here. */
  readonly editorOf?: EditorOf | undefined
}

const DEFAULT_TIMEOUT_MS = 120_000
const MOST_TIMEOUT_MS = 600_000
const MOST_OUTPUT_BYTES = 64 * 1024 * 1024
const LONGEST_TITLE = 200
/** Most trees are gone by then, so that nothing is written after the turn's end is told. */
const STOP_GRACE_MS = 60

const input = z.object({
  command: z
    .string()
    .min(1)
    .refine((command) => !command.includes('\0'), 'must not contain a NUL character')
    .refine((command) => command.isWellFormed(), 'must be well-formed Unicode')
    .describe('Run by bash -c in the working directory. No terminal, no standard input; each call starts anew.'),
  description: z.string().max(1000).optional().describe('What the command is for, in a few words'),
  timeoutMs: z
    .number()
    .int()
    .min(1)
    .max(MOST_TIMEOUT_MS)
    .optional()
    .describe(`Stopped after this time, default ${DEFAULT_TIMEOUT_MS}`),
})

export function createBashTool(options: BashToolOptions): Tool {
  const { hidden = [] } = options
  const tool = defineTool({
    name: BASH_TOOL,
    title: 'Run a command',
    description:
      'Runs a shell command and returns what it prints (standard output and error in order). Nothing it starts outlives the call.',
    input,
    effect: 'unsafe',
    kind: 'execute',
    nature: 'shell',
    async inspect({ command }, { cwd, roots }) {
      // A sandboxed command sees nothing of these folders but its workspace and its outputs.
      const guard = (await findSandbox(options)) === 'none' ? { hidden: withTargets(hidden), roots, follow } : {}
      return { facts: await inspectCommand(command, { cwd, ...guard }), preview: { title: titleOf(command) } }
    },
    run: () => Promise.reject(new Error('unreachable')),
  })
  // Not through `defineTool`: what a command prints under `_meta` is nobody's mistake, and nobody is warned of it.
  const run = async (invocation: ToolInvocation): Promise<ToolOutput> =>
    toToolOutput('Bash', await runBash(invocation, options), { warn: () => undefined })
  return { ...tool, stopGraceMs: STOP_GRACE_MS, run }
}

async function runBash(invocation: ToolInvocation, options: BashToolOptions): Promise<ToolOutput> {
  invocation.signal.throwIfAborted()
  const sandbox = await chooseSandbox(options)
  const roots = await openRoots(invocation.workspace)
  const outputs = join(options.outputDir, safeName(invocation.sessionId))
  try {
    await mkdir(outputs, { recursive: true, mode: 0o700 })
    await pruneOutputs(outputs)
    return await runIn({ sandbox, roots, outputs }, invocation, options)
  } finally {
    await roots.close()
  }
}

interface CommandPlace {
  readonly sandbox: Sandbox
  readonly roots: OpenRoots
  readonly outputs: string
}

async function runIn(place: CommandPlace, invocation: ToolInvocation, options: BashToolOptions): Promise<ToolOutput> {
  const { command, timeoutMs = DEFAULT_TIMEOUT_MS } = input.parse(invocation.input)
  const { grant, workspace, sessionId, toolCallId, signal } = invocation
  const { stateDir, mostOutputBytes: mostBytes = MOST_OUTPUT_BYTES } = options
  const { sandbox, roots, outputs } = place
  const isConfined = sandbox === 'bubblewrap'
  const marker = randomBytes(16).toString('hex')
  const start = {
    grant,
    command,
    cwd: workspace.cwd,
    shell: options.shell ?? findShell(),
    environment: cleanEnvironment(process.env, addedEnvironment(options, sandbox), marker),
  }
  const limits = { timeoutMs, mostBytes }
  const run = { marker, timeoutMs, signal, ...(isConfined && { holder: SANDBOX_PROGRAM }) }
  await noteRunning(stateDir, marker)
  try {
    const terminals = options.editorOf?.(sessionId)?.terminals
    const named = isConfined && { sandbox: sandboxOf(place, workspace, options, 'name') }
    const shown = terminals && (await runInTerminal({ ...run, terminals, toolCallId, start: { ...start, ...named } }))
    if (shown) return toOutput(shown.end, shown.printed, { sandbox, limits, more: { terminal: true } })
    const output = createKeptOutput({ path: join(outputs, `${marker.slice(0, 12)}.txt`), mostBytes })
    const held = isConfined
      ? { folder: '/', folderFds: fdsOf(roots), sandbox: sandboxOf(place, workspace, options, 'descriptor') }
      : { folder: roots.cwd }
    const end = await runCommand({
      ...run,
      pipe: await openOutputPipe(join(stateDir, `${marker}.pipe`)),
      output,
      live: createLiveText(invocation.progress),
      mostBytes,
      start: (outputFd) => spawnCommand({ ...start, ...held, outputFd }),
    })
    return toOutput(end, output.text(), { sandbox, limits, more: { outputBytes: output.bytes } })
  } finally {
    await forgetRunning(stateDir, marker)
  }
}

const fdsOf = ({ directories }: OpenRoots): readonly number[] => directories.map(({ handle }) => handle.fd)

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

/** An editor starts its terminals itself, so its mounts can only go by name. */
function sandboxOf(
  { roots, outputs }: CommandPlace,
  { cwd }: ToolInvocation['workspace'],
  options: BashToolOptions,
  mountBy: 'descriptor' | 'name',
): CommandArgv {
  const { hidden = [], network = false } = options
  return {
    file: SANDBOX_PROGRAM,
    args: buildSandboxArgv({
      cwd,
      writable: roots.directories.map(({ path }, index) => ({
        path,
        ...(mountBy === 'descriptor' && { fd: FIRST_FOLDER_FD + index }),
      })),
      readable: [realPath(outputs)],
      hidden: hidden.filter((folder) => existsSync(folder)).map(realPath),
      network,
    }),
  }
}

async function findSandbox({ sandbox }: BashToolOptions): Promise<Sandbox> {
  return sandbox === 'none' ? 'none' : detectSandbox()
}

async function chooseSandbox(options: BashToolOptions): Promise<Sandbox> {
  const found = await findSandbox(options)
  if (found === 'none' && options.sandbox === 'required') {
    throw new Error('commands must run in a sandbox here, but bubblewrap is missing or not allowed to make one')
  }
  return found
}

function follow(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    // It is not there, or nobody may go there.
    return undefined
  }
}

function withTargets(folders: readonly string[]): readonly string[] {
  return [...new Set(folders.flatMap((folder) => [folder, follow(folder) ?? folder]))]
}

function addedEnvironment({ environment = {} }: BashToolOptions, sandbox: Sandbox): Record<string, string> {
  return sandbox === 'bubblewrap' ? { TMPDIR: '/tmp', ...environment } : { ...environment }
}

/** Links lead elsewhere in the sandbox, or nowhere. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}

function titleOf(command: string): string {
  const line = command.trim().split('\n')[0] ?? ''
  return line.length <= LONGEST_TITLE ? line : `${line.slice(0, LONGEST_TITLE - 1)}…`
}

function safeName(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 80)
}

function findShell(): string {
  const folders = ['/bin', '/usr/bin', ...(process.env['PATH'] ?? '').split(delimiter)]
  return folders.map((folder) => join(folder, 'bash')).find(isExecutable) ?? '/bin/sh'
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
