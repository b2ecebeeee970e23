import { Option, type Command } from 'commander'
import type { AcpFlags } from './commands/acp.ts'
import { formatExamples, withDataFlags } from './define-verbs.ts'

export function defineAcp(program: Command, finish: (exitCode: number) => void): void {
  withDataFlags(program.command('acp'))
    .description('talk to an editor on stdin and stdout, over the Agent Client Protocol; --acp is the same')
    .option('--stdio', 'the only way there is; for editors that insist on it')
    .option('--resume [id]', 'the first new session is this one, or the one that changed last')
    .addOption(
      new Option('--resume-replay <when>', 'tell the history before or after the answer that names the session')
        .choices(['before', 'after'])
        .default('before'),
    )
    .option('--agent <name>', 'who answers (default: the default agent)')
    .addOption(
      new Option('--profile <name>', "standard, or every value as Agentao's field reference writes it")
        .choices(['standard', 'seed'])
        .default('standard'),
    )
    .option('--config <file>', 'configuration, where no server is running (default: beside the data directory)')
    .option('--scripted', 'also have the scripted agents (implied by --agent scripted)')
    .addHelpText(
      'after',
      formatExamples([
        'acp',
        'acp --agent coder --data ~/.polylogue',
        'acp --resume',
        '--acp --stdio --resume 0198c0de',
      ]) + '\nBeside a running server it is a thin pipe to it. Logs go to stderr.',
    )
    .action(async (flags: AcpFlags) => finish(await (await import('./commands/acp.ts')).acp(flags)))
}

/** `--acp` among the flags is the verb, whatever else would have been meant. */
export function withAcpVerb(args: readonly string[]): readonly string[] {
  if (!args.includes('--acp')) return args
  const rest = args.filter((word) => word !== '--acp')
  return rest[0] === 'acp' ? rest : ['acp', ...rest]
}
