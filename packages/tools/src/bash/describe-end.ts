import type { CgroupUsage } from './command-cgroup.ts'
import { type CommandLimits, describeLimits } from './command-limits.ts'
import type { CommandEnd } from './run-command.ts'
import type { StopReason } from './stop-reason.ts'

export interface EndLimits {
  readonly timeoutMs: number
  readonly mostBytes: number
  readonly command: CommandLimits
  readonly usage?: CgroupUsage | undefined
}

/** Tells the model how a command ended. Empty after a normal end. */
export function describeEnd(end: CommandEnd, limits: EndLimits): string {
  return [
    end.stopped === undefined ? describeExit(end) : describeStop(end.stopped, limits),
    ...describeLimits(end, limits.command, limits.usage),
    end.leftovers > 0 && `Killed ${count(end.leftovers)} that the command had left running.`,
    end.survivors > 0 && `${count(end.survivors)} could not be killed and may still run.`,
  ]
    .filter(Boolean)
    .join('\n')
}

function describeExit({ exitCode, signal }: CommandEnd): string {
  if (signal !== undefined) return `Ended by ${signal}.`
  return exitCode === 0 ? '' : `Exit code ${exitCode ?? 'unknown'}.`
}

function describeStop(reason: StopReason, { timeoutMs, mostBytes, command }: EndLimits): string {
  switch (reason) {
    case 'cancelled':
      return 'Stopped: the call was cancelled.'
    case 'time-limit':
      return `Stopped: it took longer than ${timeoutMs} ms.`
    case 'output-limit':
      return `Stopped: it printed more than ${mostBytes} bytes.`
    case 'memory-limit':
      return `Stopped: it used more than ${command.memoryMb} MB of memory (bash.limits.memoryMb).`
    case 'process-limit':
      return `Stopped: it had more than ${command.processes} processes (bash.limits.processes).`
    case 'terminal-lost':
      return 'Stopped: the editor has closed the terminal that it ran in.'
  }
}

function count(processes: number): string {
  return processes === 1 ? '1 process' : `${processes} processes`
}
