import { Option, type Command } from 'commander'
import type { AcpFlags } from './commands/acp.ts'
import { formatExamples, withDataFlags } from './define-verbs.ts'

export function defineAcp(program: Command, finish: (exitCode: number) => void): void {
  withDataFlags(program.command('acp'))
    .description('serve an editor over the Agent Client Protocol on stdin and stdout; same as --acp')
    .option('--stdio', 'accepted for editors that pass it; stdio is the only transport')
    .option('--resume [id]', 'resume this session, or the most recently changed one, as the first new session')
    .addOption(
      new Option('--resume-replay <when>', 'send the history before or after the response with the session id')
        .choices(['before', 'after'])
        .default('before'),
    )
    .option('--agent <name>', 'agent of new sessions (default: the default agent)')
    .addOption(
      new Option('--profile <name>', "standard, or seed: all values as in Agentao's field reference")
        .choices(['standard', 'seed'])
        .default('standard'),
    )
    .option('--config <file>', 'configuration if no server is running (default: next to the data directory)')
    .option('--scripted', 'add the scripted agents (implied by --agent scripted)')
    .addHelpText(
      'after',
      formatExamples([
        'acp',
        'acp --agent coder --data ~/.polylogue',
        'acp --resume',
        '--acp --stdio --resume 0198c0de',
      ]) + '\nIf a server is running, the process only connects the editor to it. Logs go to stderr.',
    )
    .action(async (flags: AcpFlags) => finish(await (await import('./commands/acp.ts')).acp(flags)))
}

/** The flag `--acp` selects this verb. */
export function withAcpVerb(args: readonly string[]): readonly string[] {
  // `check --acp <command>` names another program.
  if (!args.includes('--acp') || args[0] === 'check') return args
  const rest = args.filter((word) => word !== '--acp')
  return rest[0] === 'acp' ? rest : ['acp', ...rest]
}
