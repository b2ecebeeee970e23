import type { Command } from 'commander'
import type { SessionsImportFlags } from './commands/move-sessions.ts'
import { formatExamples, withDataFlags } from './define-verbs.ts'

export function defineImport(program: Command, finish: (exitCode: number) => void): void {
  const verb = program.command('import').description('make sessions of the files of another program')
  withDataFlags(verb.command('claude'))
    .description('make sessions of the files of Claude Code, and say what had no counterpart')
    .argument('<file...>', 'such as ~/.claude/projects/*/*.jsonl, one session each')
    .option('--agent <name>', 'who continues them (default: the default agent)')
    .option('--cwd <dir>', 'where they work (default: the folder that the file names, if it is there, else this one)')
    .option('--scripted', 'also have the scripted agents')
    .addHelpText(
      'after',
      formatExamples([
        'import claude ~/.claude/projects/-home-anna-app/*.jsonl --agent coder',
        'import claude old.jsonl --cwd ~/app',
      ]),
    )
    .action(async (files: readonly string[], flags: SessionsImportFlags) =>
      finish(await (await import('./commands/import-claude.ts')).importClaude(files, flags)),
    )
}
