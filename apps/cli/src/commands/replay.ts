import { ExitCode } from '../exit-code.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import { formatReplay } from '../format-replay.ts'
import { createTerminal } from '../terminal.ts'
import { withOwner } from '../with-owner.ts'
import { writeReplayTest } from '../write-replay-test.ts'

export interface ReplayFlags extends OwnerFlags {
  readonly test?: string
  readonly json?: boolean
}

/** Fails where today's code would do something else. */
export function replaySession(id: string, { test, json, ...flags }: ReplayFlags): Promise<number> {
  return withOwner(flags, async ({ console }) => {
    const { stdout, stderr } = createTerminal(process)
    if (test !== undefined) {
      const files = await writeReplayTest(id, test, console)
      stderr.write(`${files.join(' and ')} hold the session. They contain everything that was said in it.\n`)
      return ExitCode.done
    }
    const report = await console.replaySession({ id })
    stdout.write(json ? `${JSON.stringify(report)}\n` : formatReplay(report))
    return report.differences.length === 0 ? ExitCode.done : ExitCode.failed
  })
}
