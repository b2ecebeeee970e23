import { WATCHER } from '../sandbox/network-evidence.ts'
import { type CommandLimits, DEFAULT_LIMITS, innerLauncherFor, launcherFor } from './command-limits.ts'

export interface CommandArgv {
  readonly file: string
  readonly args: readonly string[]
}

/** How a command is confined. */
export interface SandboxArgv extends CommandArgv {
  /** Folders that were mounted by name, with their expected device and inode. */
  readonly expected?: readonly { readonly path: string; readonly identity: string }[]
}

export interface CommandBounds {
  readonly limits: CommandLimits
  /** Folders of the control groups that limit the command. Empty if the machine has none. */
  readonly groups: readonly string[]
}

export interface ArgvOptions {
  readonly sandbox?: SandboxArgv | undefined
  readonly bounds?: CommandBounds
  /** The descriptor for the counters of the sandbox's network after a failure. */
  readonly evidenceFd?: number | undefined
}

/** The arguments that start a command. The last one is the command exactly as it was approved. */
export function buildCommandArgv(
  command: string,
  shell: string,
  { sandbox, bounds: { limits, groups } = { limits: DEFAULT_LIMITS, groups: [] }, evidenceFd }: ArgvOptions = {},
): CommandArgv {
  const watcher = evidenceFd === undefined ? [] : ['/bin/sh', '-c', WATCHER, 'sh', String(evidenceFd)]
  const launcher = groups.length === 0 ? ['/bin/sh', '-c', innerLauncherFor(limits), 'sh'] : []
  const inner = [...watcher, ...launcher]
  const words = innerArguments([shell, ...shellArguments(command)], sandbox, sandbox ? inner : [])
  return { file: '/bin/sh', args: ['-c', launcherFor(limits, groups), 'sh', ...words] }
}

/**
 * The same for an editor's terminal, which displays the arguments. A launcher starts the sandbox, so that the user reads
 * the command and not how it is confined.
 */
export function buildTerminalArgv(command: string, shell: string, launcher?: string): CommandArgv {
  const args = shellArguments(command)
  return launcher === undefined ? { file: shell, args } : { file: '/bin/sh', args: [launcher, ...args] }
}

/**
 * The text of the launcher: a shell script that runs the shell in the sandbox. The sandbox ends with the script. Without
 * the script it would end with the editor thread that started it.
 */
export function writeLauncher(shell: string, sandbox: SandboxArgv): string {
  const words = innerArguments([shell], sandbox).map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
  return `${words.join(' ')} "$@"\nexit "$?"\n`
}

/** Runs in the sandbox, where folders can no longer be swapped. */
const CHECKER =
  'while [ "$1" != -- ]; do [ "$(stat -c %d:%i "$1")" = "$2" ] || ' +
  '{ echo "the directory $1 is not the one that this session opened" >&2; exit 126; }; shift 2; done; shift; exec "$@"'

function innerArguments(
  shellWords: readonly string[],
  sandbox: SandboxArgv | undefined,
  launcher: readonly string[] = [],
): readonly string[] {
  if (!sandbox) return shellWords
  const { file, args, expected = [] } = sandbox
  const checked = expected.flatMap(({ path, identity }) => [path, identity])
  const checker = expected.length === 0 ? [] : ['/bin/sh', '-c', CHECKER, 'sh', ...checked, '--']
  return [file, ...args, '--', ...checker, ...launcher, ...shellWords]
}

function shellArguments(command: string): readonly string[] {
  // A shell would parse a command that begins like this as options.
  return ['-c', ...(/^[-+]/.test(command) ? ['--'] : []), command]
}
