import { totalmem } from 'node:os'
import type { CgroupUsage } from './command-cgroup.ts'
import type { CommandEnd } from './run-command.ts'

/** What one command may use at most. */
export interface CommandLimits {
  /** Of all its processes together where there are control groups, else of each of them. */
  readonly memoryMb: number
  /** At the same time, threads included where there are control groups. */
  readonly processes: number
  /** Of each process. */
  readonly openFiles: number
  /** Of each process. */
  readonly cpuSeconds: number
  /** The largest file that it may write. */
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

/** Killed before the server when the machine runs out of memory. */
const OOM_SCORE = 500

/**
 * The start of every command: files that others may read, no core dumps, the limits, a place in its control groups, and
 * less right to the processor than the server, which must be able to end it. Then it becomes what it is given.
 * A limit that the machine already has lower stays as it is.
 */
export function launcherFor(limits: CommandLimits, groups: readonly string[]): string {
  const { memoryMb, openFiles, cpuSeconds, fileMb } = limits
  const wanted = [
    // In the units of a POSIX shell: kilobytes, and blocks of 512 bytes.
    `-d ${memoryMb * 1024}`,
    `-n ${openFiles}`,
    // A signal that says why, and a few seconds later one that cannot be ignored.
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
    'exec nice -n 5 "$@"',
  ].join('; ')
}

/** Inside a sandbox, where only its own processes count; the letter is not the same in every shell. */
export const innerLauncherFor = ({ processes }: CommandLimits): string =>
  `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes} 2>/dev/null; exec "$@"`

const CPU_SIGNAL = 24
const FILE_SIGNAL = 25

/** A sentence for each limit that the command has reached. */
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
