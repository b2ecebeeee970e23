// The one file of this folder that starts processes. Only `spawnCommand` starts what a model asked for, and it demands
// the grant of exactly this command. The others start fixed programs of the system.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { type Grant, requireGrant } from '@polylogue/engine'
import { DIAGNOSTICS_TOOL, commandOfChecker } from '../diagnostics/checkers.ts'
import { type CommandBounds, type SandboxArgv, buildCommandArgv } from './command-argv.ts'

export const BASH_TOOL = 'Bash'
/** After standard input, output and error. */
export const FIRST_FOLDER_FD = 3

export interface CommandStart {
  readonly tool: string
  readonly grant: Grant
  readonly command: string
  readonly cwd: string
  /** The same folder by a path that nobody can exchange. Default: `cwd`. */
  readonly folder?: string
  readonly shell: string
  readonly environment: Readonly<Record<string, string>>
  /** Open for writing; standard output and error both go there, so that their order stays. */
  readonly outputFd: number
  /** Open folders, which the program gets as descriptors from `FIRST_FOLDER_FD` on. */
  readonly folderFds?: readonly number[]
  readonly sandbox?: SandboxArgv
  readonly bounds?: CommandBounds
}

/** In a session and a process group of its own. Throws unless exactly this was granted. */
export function spawnCommand(start: CommandStart): ChildProcess {
  const {
    tool,
    grant,
    command,
    cwd,
    folder = cwd,
    shell,
    environment,
    outputFd,
    folderFds = [],
    sandbox,
    bounds,
  } = start
  requireGrant(grant, tool)
  requireSameCommand(grant, command, cwd)
  const { file, args } = buildCommandArgv(command, shell, { sandbox, bounds })
  const stdio: StdioOptions = ['ignore', outputFd, outputFd, ...folderFds]
  return spawn(file, args, { cwd: folder, env: environment, detached: true, stdio })
}

export function requireSameCommand({ call }: Grant, command: string, cwd: string): void {
  const granted = call.tool === DIAGNOSTICS_TOOL ? commandOfChecker(call.input['checker']) : call.input['command']
  if (granted !== command) throw new Error('the grant is for another command')
  if (call.cwd !== cwd) throw new Error('the grant is for another directory')
}

export async function makePipe(path: string): Promise<void> {
  await runProgram('mkfifo', ['-m', '600', path])
}

const PROBE_MS = 5000

/** Whether a program runs and ends well. It gets the descriptors from 3 on. */
export async function probeProgram(
  file: string,
  args: readonly string[],
  descriptors: readonly number[] = [],
): Promise<boolean> {
  try {
    await runProgram(file, args, descriptors)
    return true
  } catch {
    return false
  }
}

function runProgram(file: string, args: readonly string[], descriptors: readonly number[] = []): Promise<void> {
  return new Promise((resolve, reject) => {
    const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', ...descriptors]
    const child = spawn(file, args, { stdio, timeout: PROBE_MS })
    child.once('error', reject)
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${file} ended with ${code}`))))
  })
}
