import type { Command } from 'commander'
import type { BackupFlags } from './commands/backup.ts'
import { formatExamples, withDataFlags } from './define-verbs.ts'
import type { OwnerFlags } from './owner-flags.ts'

export function defineBackup(program: Command, finish: (exitCode: number) => void): void {
  withDataFlags(program.command('backup'))
    .description('write all data to one file; works while the server is running')
    .argument('<file>', 'the archive to write; it must not exist')
    .option('--no-workspaces', 'leave out the workspaces of sessions')
    .addHelpText('after', formatExamples(['backup all.tgz', 'backup small.tgz --no-workspaces']))
    .action(async (file: string, flags: BackupFlags) =>
      finish(await (await import('./commands/backup.ts')).makeBackup(file, flags)),
    )
  withDataFlags(program.command('restore'))
    .description('create a data directory from a backup')
    .argument('<file>', 'an archive from `polylogue backup`')
    .addHelpText('after', formatExamples(['restore all.tgz', 'restore all.tgz --data /srv/polylogue']))
    .action(async (file: string, flags: OwnerFlags) =>
      finish(await (await import('./commands/backup.ts')).restoreBackup(file, flags)),
    )
}
