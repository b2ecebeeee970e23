import { totalmem } from 'node:os'
import { machineProgram } from '../machine-program.ts'
import type { CgroupUsage } from './command-cgroup.ts'
import type { CommandEnd } from './run-command.ts'

/** The resource limits of one command. */
export interface CommandLimits {
  /** Applies to all processes together if there are control groups, and otherwise to each process. */
  readonly memoryMb: number
  /** At the same time. Includes threads if there are control groups. */
  readonly processes: number
  /** Of each process. */
  readonly openFiles: number
  /** Of each process. */
  readonly cpuSeconds: number
  /** The largest file that it can write. */
  readonly fileMb: number
}

const MB = 1024 * 1024

export const DEFAULT_LIMITS: CommandLimits = {
  memoryMb: Math.min(4096, Math.floor(totalmem() / MB / 2)),
  processes: 2000,
  openFiles: 8192,
  cpuSeconds: 1800,
  fileMb: 4096,
}

/** Lets the kernel kill commands before the server when memory runs out. */
const OOM_SCORE = 500

/**
 * Starts every command: sets the umask, disables core dumps, sets the limits, joins the control groups, and lowers the
 * CPU priority below that of the server, which must be able to end the command. Then it executes its arguments.
 * A lower limit of the machine stays in effect.
 */
export function launcherFor(limits: CommandLimits, groups: readonly string[]): string {
  const { memoryMb, openFiles, cpuSeconds, fileMb } = limits
  const wanted = [
    // POSIX shells count memory in kilobytes and files in blocks of 512 bytes.
    `-d ${memoryMb * 1024}`,
    `-n ${openFiles}`,
    // The soft limit sends a signal that names the reason. The hard limit kills the process a few seconds later.
    `-H -t ${cpuSeconds + 5}`,
    `-S -t ${cpuSeconds}`,
    `-f ${fileMb * 2048}`,
  ]
  return [
    'umask 022',
    'ulimit -c 0',
    ...wanted.map((limit) => `ulimit ${limit} 2>/dev/null`),
    ...groups.map((group) => `echo $$ 2>/dev/null >'${group}/cgroup.procs' || exit 125`),
    `{ echo ${OOM_SCORE} >/proc/self/oom_score_adj; } 2>/dev/null`,
    `exec '${machineProgram('nice').replaceAll("'", String.raw`'\''`)}' -n 5 "$@"`,
  ].join('; ')
}

/** Inside a sandbox only its own processes count. The option letter differs between shells. */
export const innerLauncherFor = ({ processes }: CommandLimits): string =>
  `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes} 2>/dev/null; exec "$@"`

const CPU_SIGNAL = 24
const FILE_SIGNAL = 25

/** One sentence for each limit that the command reached. */
export function describeLimits(
  { exitCode, signal }: Pick<CommandEnd, 'exitCode' | 'signal'>,
  limits: CommandLimits,
  usage: CgroupUsage | undefined,
): readonly string[] {
  const { memoryMb, processes, cpuSeconds, fileMb } = limits
  const isEndedBy = (number: number, name: string): boolean => signal === name || exitCode === 128 + number
  return [
    ...(usage?.isOutOfMemory === true
      ? [`A process was killed because the command used more than ${memoryMb} MB of memory (bash.limits.memoryMb).`]
      : []),
    ...(usage?.isOutOfProcesses === true
      ? [`The command could not start more than ${processes} processes and threads (bash.limits.processes).`]
      : []),
    ...(isEndedBy(CPU_SIGNAL, 'SIGXCPU')
      ? [`A process used more than ${cpuSeconds} seconds of the processor (bash.limits.cpuSeconds).`]
      : []),
    ...(isEndedBy(FILE_SIGNAL, 'SIGXFSZ') ? [`A file became larger than ${fileMb} MB (bash.limits.fileMb).`] : []),
  ]
}
