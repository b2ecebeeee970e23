import { moveStorage } from '@polylogue/server'
import { ExitCode } from '../exit-code.ts'
import { toOwnerOptions, type OwnerFlags } from '../owner-flags.ts'
import { createTerminal } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'

export interface SessionsMoveFlags extends Pick<OwnerFlags, 'data'> {
  readonly from?: string
  readonly to: string
}

export async function moveSessions({ from, to, data }: SessionsMoveFlags): Promise<number> {
  const { dataDir, startDir } = toOwnerOptions({ ...(data !== undefined && { data }) })
  const { stderr } = createTerminal(process)
  const moved = await moveStorage({
    dataDir,
    startDir,
    to,
    ...(from !== undefined && { from }),
    onProgress({ phase, done }) {
      const what = phase === 'copying' ? `Copying, ${done} rows so far` : `Comparing the logs, ${done} events so far`
      // A carriage return and the end of a longer line before it are our own only here.
      if (stderr.isTerminal) process.stderr.write(`\r${what} …\u001b[K`)
      else if (done === 0) stderr.write(phase === 'copying' ? 'Copying …\n' : 'Comparing the logs …\n')
    },
  })
  if (stderr.isTerminal) process.stderr.write('\r\u001b[K')
  const sessions = `${moved.sessions} ${moved.sessions === 1 ? 'session' : 'sessions'}`
  stderr.write(
    `Copied ${sessions} with ${moved.events} events from ${toTerminalLine(moved.from)} to ${toTerminalLine(moved.to)}. ` +
      'Both logs were read and are equal.\n' +
      'Next: start the server with --database and the new URL, and the same data directory: it holds the keys that ' +
      'open stored secrets.\nThe source is unchanged. Delete it when nothing uses it any more.\n',
  )
  return ExitCode.done
}
