import { backUp, restore } from '@polylogue/server'
import { ExitCode } from '../exit-code.ts'
import { toOwnerOptions, type OwnerFlags } from '../owner-flags.ts'
import { createTerminal } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'

export interface BackupFlags extends OwnerFlags {
  /** `--no-workspaces` makes it false. */
  readonly workspaces: boolean
}

export async function makeBackup(file: string, flags: BackupFlags): Promise<number> {
  const { dataDir, startDir, database, workspaces } = toOwnerOptions(flags)
  const place = {
    dataDir,
    startDir,
    ...(workspaces !== undefined && { workspaces }),
    ...(database !== undefined && { database }),
  }
  const made = await backUp({ ...place, file, withoutWorkspaces: !flags.workspaces })
  const size = `${(made.bytes / 1024 / 1024).toFixed(1)} MiB`
  createTerminal(process).stderr.write(
    `Wrote ${toTerminalLine(made.file)} (${size}): ${formatCensus(made)}, read back and checked.\n` +
      'It contains the keys of this server. Keep it where nobody else can read it.\n',
  )
  return ExitCode.done
}

export async function restoreBackup(file: string, flags: OwnerFlags): Promise<number> {
  const { dataDir, startDir } = toOwnerOptions(flags)
  const census = await restore({ dataDir, startDir, file })
  createTerminal(process).stderr.write(
    `Restored ${formatCensus(census)} to ${toTerminalLine(dataDir)}. ` +
      `Next: polylogue serve --data ${toTerminalLine(dataDir)}\n`,
  )
  return ExitCode.done
}

const formatCensus = ({ sessions, events }: { readonly sessions: number; readonly events: number }): string =>
  `${sessions} ${sessions === 1 ? 'session' : 'sessions'} with ${events} events`
