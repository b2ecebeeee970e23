import type { Command } from 'commander'
import type { BackupFlags } from './commands/backup.ts'
import { formatExamples, withDataFlags } from './define-verbs.ts'
import type { OwnerFlags } from './owner-flags.ts'

export function defineBackup(program: Command, finish: (exitCode: number) => void): void {
  withDataFlags(program.command('backup'))
    .description('write everything to one file, while the server may be running')
    .argument('<file>', 'the archive to write; it must not be there yet')
    .option('--no-workspaces', 'leave out the files that sessions work on')
    .addHelpText('after', formatExamples(['backup all.tgz', 'backup small.tgz --no-workspaces']))
    .action(async (file: string, flags: BackupFlags) =>
      finish(await (await import('./commands/backup.ts')).makeBackup(file, flags)),
    )
  withDataFlags(program.command('restore'))
    .description('make a data directory of such a file')
    .argument('<file>', 'an archive of `polylogue backup`')
    .addHelpText('after', formatExamples(['restore all.tgz', 'restore all.tgz --data /srv/polylogue']))
    .action(async (file: string, flags: OwnerFlags) =>
      finish(await (await import('./commands/backup.ts')).restoreBackup(file, flags)),
    )
}
