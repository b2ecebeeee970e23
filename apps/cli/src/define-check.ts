import { InvalidArgumentError, type Command } from 'commander'
import type { CheckFlags } from './commands/check.ts'
import { formatExamples } from './define-verbs.ts'

export function defineCheck(program: Command, finish: (exitCode: number) => void): void {
  program
    .command('check')
    .description('check a server, or an ACP command, against the rules of its protocol')
    .argument('[url]', 'where AAP is mounted, such as http://127.0.0.1:8020/aap/v3; with --blade, the server')
    .option('--acp <command>', 'check this command over stdio instead')
    .option('--blade', 'check a Blade server')
    .option('--key <key>', 'API key (default: $POLYLOGUE_KEY)')
    .option('--agent <name>', 'the agent to talk to (default: scripted, else the first one)')
    .option('--rules <numbers>', 'only these rules, separated by commas')
    .option('--required', 'leave out the rules that are decisions of Polylogue')
    .option(
      '--script-model <port>',
      'serve a model that follows scripts instead, until interrupted; 0 for any port',
      parsePort,
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      formatExamples([
        'check http://127.0.0.1:8020/aap/v3 --key sk-…',
        'check --acp "polylogue acp --agent scripted"',
        'check --blade http://127.0.0.1:8020 --agent scripted --json',
        'check --script-model 4000',
      ]) +
        '\nSome rules need an agent that follows scripts. Point the model of your agent at the URL that --script-model prints:' +
        '\nit answers as OpenAI does and does what the last message says.' +
        '\nExit codes: 0 no rule failed, 1 a rule failed, 2 the server could not be checked.',
    )
    .action(async (url: string | undefined, flags: CheckFlags) =>
      finish(await (await import('./commands/check.ts')).check(url, flags)),
    )
}

function parsePort(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('Use a number from 0 to 65535.')
}
