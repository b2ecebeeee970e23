import { Option, type Command } from 'commander'
import type { ChatFlags } from './commands/chat.ts'
import { formatExamples, withDataFlags } from './define-verbs.ts'

export function defineChat(program: Command, finish: (exitCode: number) => void): void {
  withDataFlags(program.command('chat'))
    .description('talk with an agent in this terminal')
    .option('--agent <name>', 'which agent (default: coder, unless agents are configured)')
    .option('--session [id]', 'go to this session; without an id, choose from a list')
    .option('--directory <dir>', 'working directory of a new session (default: the current folder for the agent coder)')
    .addOption(
      new Option('--preset <name>', 'what the agent may do without asking (default: workspace-write)').choices([
        'read-only',
        'workspace-write',
        'full-access',
        'plan',
      ]),
    )
    .option('--config <file>', 'configuration, if no server is running')
    .option('--scripted', 'add the scripted agents (implied by --agent scripted)')
    .addHelpText(
      'after',
      formatExamples([
        'chat',
        'chat --preset plan',
        'chat --session',
        'chat --session 0198c0de-7a11-7000-8000-000000000000',
      ]) +
        '\n/help shows the commands. Esc or Ctrl-C cancels the turn; Ctrl-C twice leaves. The session is kept.' +
        '\nExit codes: 0 left, 1 failed, 2 wrong usage or no terminal, 130 left while a turn was running.',
    )
    .action(async (flags: ChatFlags) => finish(await (await import('./commands/chat.ts')).chat(flags)))
}
