import { Argument, InvalidArgumentError, type Command } from 'commander'
import type { BacktestFlags } from './commands/permissions-backtest.ts'
import type { PermissionsFlags, RuleFlags } from './commands/permissions.ts'
import { formatExamples, parseCount, withDataFlags } from './define-verbs.ts'

type Finish = (exitCode: number) => void

export function definePermissions(program: Command, finish: Finish): void {
  const permissions = program
    .command('permissions')
    .description('manage your rules: which tool calls run, which ask first, which never run')
    .addHelpText(
      'after',
      formatExamples([
        'permissions list',
        "permissions add allow Bash --arg 'command=^npm (test|run lint)$'",
        'permissions backtest deny WebFetch --host .example.com',
        'permissions import rules.json',
      ]),
    )
  defineList(permissions, finish)
  defineAdd(permissions, finish)
  defineRemove(permissions, finish)
  defineImport(permissions, finish)
  defineBacktest(permissions, finish)
}

function defineList(permissions: Command, finish: Finish): void {
  withDataFlags(permissions.command('list'))
    .description("list your rules in order, and the operator's deny rules")
    .option('--json', 'print JSON')
    .addHelpText('after', formatExamples(['permissions list', 'permissions list --json']))
    .action(async (flags: PermissionsFlags) =>
      finish(await (await import('./commands/permissions.ts')).listRules(flags)),
    )
}

function defineAdd(permissions: Command, finish: Finish): void {
  withRule(withDataFlags(permissions.command('add')))
    .description('append a rule; the first rule that matches a call decides')
    .option('--json', 'print the rule as JSON')
    .addHelpText(
      'after',
      formatExamples([
        "permissions add allow Bash --arg 'command=^npm test$'",
        'permissions add ask WebFetch --host .example.com',
        "permissions add deny 'mcp_.*'",
      ]),
    )
    .action(async (action: string, tool: string, flags: RuleFlags) =>
      finish(await (await import('./commands/permissions.ts')).addRule({ action, tool }, flags)),
    )
}

function defineRemove(permissions: Command, finish: Finish): void {
  withDataFlags(permissions.command('remove'))
    .description('remove a rule')
    .argument('<id>', 'id from `permissions list`')
    .addHelpText('after', formatExamples(['permissions list', 'permissions remove rule_0a1b2c']))
    .action(async (id: string, flags: PermissionsFlags) =>
      finish(await (await import('./commands/permissions.ts')).removeRule(id, flags)),
    )
}

function defineImport(permissions: Command, finish: Finish): void {
  withDataFlags(permissions.command('import'))
    .description('add new rules from a JSON file: {"rules": [{"tool", "args", "domain", "action"}]}')
    .argument('<file>', 'the file; - reads it from stdin')
    .option('--json', 'print what was added as JSON')
    .addHelpText('after', formatExamples(['permissions import rules.json', 'permissions import - < rules.json']))
    .action(async (file: string, flags: PermissionsFlags) =>
      finish(await (await import('./commands/permissions.ts')).importRules(file, flags)),
    )
}

function defineBacktest(permissions: Command, finish: Finish): void {
  withRule(withDataFlags(permissions.command('backtest')))
    .description('show how a rule would have decided the calls in your sessions; changes nothing')
    .option('--first', 'try it before your other rules instead of after them')
    .option('-n, --calls <number>', 'how many calls to look at, newest first', parseCount, 2_000)
    .option('--config <file>', 'configuration with the tools, if no server is running')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      formatExamples([
        "permissions backtest allow Bash --arg 'command=^npm (test|run lint)$'",
        'permissions backtest deny WebFetch --host .example.com --first --json',
      ]),
    )
    .action(async (action: string, tool: string, flags: BacktestFlags) =>
      finish(await (await import('./commands/permissions-backtest.ts')).backtestRule({ action, tool }, flags)),
    )
}

function withRule(command: Command): Command {
  return command
    .addArgument(new Argument('<action>', 'decision for matching calls').choices(['allow', 'ask', 'deny']))
    .argument('<tool>', 'name of a tool, * for all, or a pattern for the whole name')
    .option('--arg <name=pattern>', 'only if this argument contains the pattern; may be repeated', collectArgument)
    .option('--host <host...>', 'only for URLs of these hosts; .example.com includes subdomains')
    .option('--url-arg <name>', 'the argument with the URL (default: url)')
}

function collectArgument(text: string, earlier: RuleFlags['arg'] = []): RuleFlags['arg'] {
  const [, name, pattern] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (name === undefined || pattern === undefined) {
    throw new InvalidArgumentError("Give an argument and a pattern, such as 'command=^ls'.")
  }
  return [...earlier, [name, pattern]]
}
