// Starts commands of a model. It requires a grant for exactly this command.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { type Grant, requireGrant } from '@polylogue/engine'
import { DIAGNOSTICS_TOOL, commandOfChecker } from '../diagnostics/checkers.ts'
import { hasUnixShell } from '../host.ts'
import { machineProgram } from '../machine-program.ts'
import { runProgram } from './run-program.ts'
import { type CommandBounds, type SandboxArgv, buildCommandArgv } from './command-argv.ts'

export const BASH_TOOL = 'Bash'
/** After standard input, output and error. */
export const FIRST_FOLDER_FD = 3

export interface CommandStart {
  readonly tool: string
  readonly grant: Grant
  readonly command: string
  readonly cwd: string
  /** The same folder by a path that cannot be swapped. Default: `cwd`. */
  readonly folder?: string
  readonly shell: string
  readonly environment: Readonly<Record<string, string>>
  /** Open for writing. Standard output and error share it, so that their order is kept. */
  readonly outputFd: number
  /** Open folders, passed to the program as descriptors starting at `FIRST_FOLDER_FD`. */
  readonly folderFds?: readonly number[]
  /** Open for the counters of the sandbox's network. */
  readonly evidenceFd?: number | undefined
  readonly sandbox?: SandboxArgv
  readonly bounds?: CommandBounds
}

/** Starts the command in its own session and process group. Throws unless exactly this command was granted. */
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
    evidenceFd,
    sandbox,
    bounds,
  } = start
  requireGrant(grant, tool)
  requireSameCommand(grant, command, cwd)
  if (sandbox !== undefined && grant.call.place === 'outside')
    throw new Error('the grant is for a call without a sandbox')
  const evidence = evidenceFd === undefined ? [] : [evidenceFd]
  const { file, args } = buildCommandArgv(command, shell, {
    sandbox,
    bounds,
    ...(evidenceFd !== undefined && { evidenceFd: FIRST_FOLDER_FD + folderFds.length }),
  })
  const stdio: StdioOptions = ['ignore', outputFd, outputFd, ...folderFds, ...evidence]
  return spawn(file, args, { cwd: folder, env: environment, detached: true, stdio })
}

export function requireSameCommand({ call }: Grant, command: string, cwd: string): void {
  const granted = call.tool === DIAGNOSTICS_TOOL ? commandOfChecker(call.input['checker']) : call.input['command']
  if (granted !== command) throw new Error('the grant is for another command')
  if (call.cwd !== cwd) throw new Error('the grant is for another directory')
}

export async function makePipe(path: string): Promise<void> {
  if (!hasUnixShell()) throw new Error(NO_SHELL)
  await runProgram(machineProgram('mkfifo'), ['-m', '600', path])
}

const NO_SHELL = 'Commands need a Unix shell, which Windows does not have. Run Polylogue in WSL to use them.'
