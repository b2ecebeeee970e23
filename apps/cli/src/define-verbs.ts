// The verbs, their flags and their help. The code of a verb is loaded only when it runs, so that help is instant.
import { InvalidArgumentError, Option, type Command } from 'commander'
import type { BenchFlags } from './commands/bench.ts'
import type { DoctorFlags } from './commands/doctor.ts'
import type { KeysCreateFlags, KeysFlags } from './commands/keys.ts'
import type { SessionsExportFlags, SessionsImportFlags } from './commands/exchange-sessions.ts'
import type { SessionsMoveFlags } from './commands/move-sessions.ts'
import type { RunFlags } from './commands/run.ts'
import type { ServeFlags } from './commands/serve.ts'
import type { SessionsFlags, SessionsForkFlags, SessionsListFlags } from './commands/sessions.ts'
import { toPort } from './parse-serve-arguments.ts'

type Finish = (exitCode: number) => void

export function defineServe(program: Command, finish: Finish): void {
  program
    .command('serve', { isDefault: true })
    .description('run the server; the default command')
    .option('-p, --port <number>', 'port to listen on, 0 for any free one', parsePort, 8020)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--data <dir>', 'data directory (default: $POLYLOGUE_DATA, else ./.polylogue)')
    .option('--database <url>', 'URL of the database (default: a file in the data directory)')
    .option('--database-direct <url>', 'the database itself, if --database names a pooler such as pgbouncer')
    .addOption(
      new Option('--role <role>', 'what this node does if several nodes share a database (default: all)').choices([
        'all',
        'web',
        'worker',
      ]),
    )
    .option('--redis <url>', 'let Redis carry the messages between nodes (default: the database carries them)')
    .option('--node-url <url>', 'where other nodes reach this one; lets Socket.IO poll without sticky sessions')
    .option(
      '--workspaces <dir>',
      'the files of sessions, shared by all nodes (default: $POLYLOGUE_WORKSPACES, else --data)',
    )
    .option('--config <file>', 'configuration (default: polylogue.config.{ts,js,json} and agents/*.md here)')
    .option('--key <key>', 'also accept this API key, as user local; may be repeated', collect, [])
    .option('--scripted', 'also serve the agents scripted and scripted-min, for testing clients')
    .option('--allow-origin <origin...>', 'allow web pages of these origins to call the API')
    .option('--public-url <url>', 'public address of this server')
    .option('--json', 'once ready, print {"url","key","pid"} as the only line on stdout')
    .addHelpText(
      'after',
      formatExamples([
        'serve',
        'serve --port 0 --json',
        'serve --data /srv/polylogue --config ./polylogue.config.ts',
        'serve --host 0.0.0.0 --public-url https://agents.example.com',
      ]),
    )
    .action(async (flags: ServeFlags) => finish(await (await import('./commands/serve.ts')).serve(flags)))
}

export function defineRun(program: Command, finish: Finish): void {
  withDataFlags(program.command('run'))
    .description('send a prompt and stream the answer; without a prompt, answer what a session waits for')
    .argument('[prompt]', 'the prompt; - reads it from stdin')
    .option('--agent <name>', 'which agent (default: coder, unless agents are configured)')
    .option('--session <id>', 'continue this session')
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
    .option('--json', 'print each event as one line of JSON')
    .addHelpText(
      'after',
      formatExamples([
        'run "What can you do?"',
        'run --agent scripted "say Hello"',
        'run --session 0198c0de-7a11-7000-8000-000000000000 "Go on"',
        'run --preset plan --json - < prompt.txt',
      ]) +
        '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 waiting for an approval or an answer, 130 cancelled.' +
        '\nApprovals and questions need a terminal. Without one, the command exits with code 3.',
    )
    .action(async (prompt: string | undefined, flags: RunFlags) =>
      finish(await (await import('./commands/run.ts')).run(prompt, flags)),
    )
}

export function defineKeys(program: Command, finish: Finish): void {
  const keys = program
    .command('keys')
    .description('create, list and revoke API keys; a key works for all protocols')
    .addHelpText('after', formatExamples(['keys create --name laptop', 'keys list', 'keys revoke key_0a1b2c']))
  withDataFlags(keys.command('create'))
    .description('create a key and print it; it is not shown again')
    .option('--name <name>', 'what the key is for', 'cli')
    .option('--user <user>', 'user of the key (default: local)')
    .option('--json', 'print the key with its record as JSON')
    .addHelpText('after', formatExamples(['keys create --name laptop', 'keys create --user anna --name phone']))
    .action(async (flags: KeysCreateFlags) => finish(await (await import('./commands/keys.ts')).createKey(flags)))
  withDataFlags(keys.command('list'))
    .description('list the active keys of all users')
    .option('--json', 'print JSON')
    .addHelpText('after', formatExamples(['keys list', 'keys list --json']))
    .action(async (flags: KeysFlags) => finish(await (await import('./commands/keys.ts')).listKeys(flags)))
  withDataFlags(keys.command('revoke'))
    .description('revoke a key and close its streams')
    .argument('<id>', 'id from `keys list`')
    .addHelpText('after', formatExamples(['keys list', 'keys revoke key_0a1b2c']))
    .action(async (id: string, flags: KeysFlags) =>
      finish(await (await import('./commands/keys.ts')).revokeKey(id, flags)),
    )
}

export function defineSessions(program: Command, finish: Finish): void {
  const sessions = program
    .command('sessions')
    .description('list, show, fork, export, import and move sessions')
    .addHelpText('after', formatExamples(['sessions list', 'sessions show 0198c0de-7a11-7000-8000-000000000000']))
  withDataFlags(sessions.command('list'))
    .description('list the newest sessions')
    .option('-n, --limit <number>', 'how many', parseCount, 20)
    .option('--json', 'print JSON')
    .addHelpText('after', formatExamples(['sessions list', 'sessions list --limit 100 --json']))
    .action(async (flags: SessionsListFlags) =>
      finish(await (await import('./commands/sessions.ts')).listSessions(flags)),
    )
  withDataFlags(sessions.command('show'))
    .description('show a session and its messages')
    .argument('<id>', 'id from `sessions list`')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      formatExamples([
        'sessions show 0198c0de-7a11-7000-8000-000000000000',
        'sessions show 0198c0de-7a11-7000-8000-000000000000 --json',
      ]),
    )
    .action(async (id: string, flags: SessionsFlags) =>
      finish(await (await import('./commands/sessions.ts')).showSession(id, flags)),
    )
  withDataFlags(sessions.command('fork'))
    .description('create a session from a copy of another one')
    .argument('<id>', 'id from `sessions list`')
    .option('--turn <id>', 'the last turn to copy (default: the last ended turn)')
    .option('--title <text>', 'the title of the new session')
    .option('--json', 'print JSON')
    .addHelpText('after', formatExamples(['sessions fork 0198c0de-7a11-7000-8000-000000000000']))
    .action(async (id: string, flags: SessionsForkFlags) =>
      finish(await (await import('./commands/sessions.ts')).forkSession(id, flags)),
    )
  defineExchange(sessions, finish)
  defineMove(sessions, finish)
}

function defineExchange(sessions: Command, finish: Finish): void {
  withDataFlags(sessions.command('export'))
    .description('print a session as an Agentao file, as its log in JSON Lines, or as text for readers')
    .argument('<id>', 'id from `sessions list`')
    .addOption(
      new Option('--format <name>', 'output format')
        .choices(['agentao', 'jsonl', 'markdown', 'html'])
        .default('agentao'),
    )
    .option('--output <file>', 'write to this file instead; it must not exist')
    .addHelpText(
      'after',
      formatExamples([
        'sessions export 0198c0de-7a11-7000-8000-000000000000',
        'sessions export 0198c0de-7a11-7000-8000-000000000000 --format markdown --output session.md',
      ]),
    )
    .action(async (id: string, flags: SessionsExportFlags) =>
      finish(await (await import('./commands/exchange-sessions.ts')).exportSession(id, flags)),
    )
  withDataFlags(sessions.command('import'))
    .description('create sessions from Agentao files, for example .agentao/sessions/*.json')
    .argument('<file...>', 'each file becomes one session')
    .option('--agent <name>', 'agent that continues them (default: the default agent)')
    .option('--cwd <dir>', 'working directory (default: the folder that contains .agentao, else the current one)')
    .option('--scripted', 'add the scripted agents')
    .addHelpText(
      'after',
      formatExamples(['sessions import .agentao/sessions/*.json', 'sessions import --agent coder old.json']),
    )
    .action(async (files: readonly string[], flags: SessionsImportFlags) =>
      finish(await (await import('./commands/exchange-sessions.ts')).importSessions(files, flags)),
    )
}

function defineMove(sessions: Command, finish: Finish): void {
  sessions
    .command('move')
    .description('copy all data from one database to another, empty one, and compare the logs')
    .option('--data <dir>', 'data directory (default: $POLYLOGUE_DATA, else ./.polylogue)')
    .option('--from <url>', 'the database to read (default: the file in the data directory)')
    .requiredOption('--to <url>', 'the database to fill')
    .addHelpText(
      'after',
      formatExamples(['sessions move --to "$DATABASE_URL"', 'sessions move --from "$DATABASE_URL" --to "$OTHER_URL"']) +
        '\nStop the server first. Sessions, keys, rules, memories, schedules and usage are copied.',
    )
    .action(async (flags: SessionsMoveFlags) =>
      finish(await (await import('./commands/move-sessions.ts')).moveSessions(flags)),
    )
}

export function defineBench(program: Command, finish: Finish): void {
  program
    .command('bench')
    .description('measure this machine against the speed budget')
    .option('--quick', 'smaller runs, for a first look')
    .option(
      '--only <row>',
      'one row: cpu, latency, admission, idle, list, start, acp-start, acp-session, acp-updates, console, sockets, turns, open, large, growth or cluster',
    )
    .option('--json <file>', 'also write the figures to this file')
    .option('--markdown <file>', 'also write them as a page')
    .option('--against <url>', 'run the same requests on another AAP v3 server and print the ratio')
    .option('--against-key <key>', 'its API key')
    .option('--against-agent <name>', 'its agent (default: scripted)')
    .option('--database <url>', 'for cluster: an empty database that nodes can share (default: a temporary server)')
    .option('--redis <url>', 'for cluster: a Redis server (default: a temporary one, if there is one on PATH)')
    .option('--capacity <sessions>', 'measure what cpu, idle and cluster need, and print the size of a cluster')
    .option('--profile <dir>', 'measure nothing; write a CPU profile of the server under load and its flame graph')
    .addHelpText(
      'after',
      formatExamples([
        'bench',
        'bench --json bench.json --markdown BENCHMARKS.md',
        'bench --only cluster',
        'bench --quick --capacity 10000',
      ]),
    )
    .action(async (flags: BenchFlags) => finish(await (await import('./commands/bench.ts')).bench(flags)))
}

export function defineTrust(program: Command, finish: Finish): void {
  program
    .command('trust')
    .description('trust the current configuration of a folder, with the files that it imports and agents/')
    .argument('[dir]', 'the folder', '.')
    .addHelpText('after', formatExamples(['trust', 'trust ~/projects/my-agent']))
    .action(async (directory: string) => finish(await (await import('./commands/trust.ts')).trust(directory)))
}

export function defineDoctor(program: Command, finish: Finish): void {
  withDataFlags(program.command('doctor'))
    .description('check the installation: versions, files, database, keys, ports, providers')
    .option('--config <file>', 'configuration (default: polylogue.config.{ts,js,json} and agents/*.md here)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      formatExamples(['doctor', 'doctor --data /srv/polylogue', 'doctor --json']) +
        '\nChanges nothing. Works with and without a running server. Exit code 1: a check failed.',
    )
    .action(async (flags: DoctorFlags) => finish(await (await import('./commands/doctor.ts')).doctor(flags)))
}

export function formatExamples(commandLines: readonly string[]): string {
  return `\nExamples:\n${commandLines.map((line) => `  $ polylogue ${line}`.trimEnd()).join('\n')}`
}

export function withDataFlags(command: Command): Command {
  return command
    .option('--data <dir>', 'data directory (default: $POLYLOGUE_DATA, ./.polylogue, or that of the running server)')
    .option('--database <url>', 'URL of the database, when no server is running')
}

function parsePort(text: string): number {
  const port = toPort(text)
  if (port === undefined) throw new InvalidArgumentError('A port is a number from 0 to 65535.')
  return port
}

export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('Give a number from 1 on.')
  return Number(text)
}

function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value]
}
