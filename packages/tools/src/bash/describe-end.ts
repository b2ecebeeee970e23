import type { CommandEnd } from './run-command.ts'
import type { StopReason } from './stop-reason.ts'

/** What a model must know of how a command ended, besides its output; empty when all is well. */
export function describeEnd(
  end: CommandEnd,
  limits: { readonly timeoutMs: number; readonly mostBytes: number },
): string {
  return [
    end.stopped === undefined ? describeExit(end) : describeStop(end.stopped, limits),
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

function describeStop(reason: StopReason, { timeoutMs, mostBytes }: { timeoutMs: number; mostBytes: number }): string {
  switch (reason) {
    case 'cancelled':
      return 'Stopped: the call was cancelled.'
    case 'time-limit':
      return `Stopped: it took longer than ${timeoutMs} ms.`
    case 'output-limit':
      return `Stopped: it printed more than ${mostBytes} bytes.`
    case 'terminal-lost':
      return 'Stopped: the editor has closed the terminal that it ran in.'
  }
}

function count(processes: number): string {
  return processes === 1 ? '1 process' : `${processes} processes`
}
