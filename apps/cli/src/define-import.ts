import type { Command } from 'commander'
import type { SessionsImportFlags } from './commands/exchange-sessions.ts'
import { formatExamples, withDataFlags } from './define-verbs.ts'

export function defineImport(program: Command, finish: (exitCode: number) => void): void {
  const verb = program.command('import').description('create sessions from the files of another program')
  withDataFlags(verb.command('claude'))
    .description('create sessions from files of Claude Code, and report what cannot be converted')
    .argument('<file...>', 'for example ~/.claude/projects/*/*.jsonl; each file becomes one session')
    .option('--agent <name>', 'agent that continues them (default: the default agent)')
    .option(
      '--cwd <dir>',
      'working directory (default: the project of a file in ~/.claude/projects, else the current one)',
    )
    .option('--scripted', 'add the scripted agents')
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
