import { InvalidArgumentError, type Command } from 'commander'
import type { UsageFlags } from './commands/usage.ts'
import { formatExamples, parseCount, withDataFlags } from './define-verbs.ts'
import { USAGE_GROUPINGS, type UsageGroupingName } from './usage-table.ts'

export function defineUsage(program: Command, finish: (exitCode: number) => void): void {
  const groupings = Object.keys(USAGE_GROUPINGS).join(', ')
  withDataFlags(program.command('usage'))
    .description('what models were called, and what that took and cost')
    .option('--by <what>', `a line for each; one or more of ${groupings}, with commas`, parseGroupings, ['model'])
    .option('--session <id>', 'only of this session')
    .option('--turn <id>', 'only of this turn')
    .option('--key <id>', 'only with this API key, as `keys list` shows it')
    .option('--user <user>', 'only of this user')
    .option('--since <date>', 'only from this date on, such as 2026-11-01 (UTC)')
    .option('--until <date>', 'only before this date')
    .option('-n, --limit <number>', 'at most so many lines', parseCount, 1000)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      formatExamples([
        'usage',
        'usage --by day,model --since 2026-11-01',
        'usage --by key --json',
        'usage --by sub-agent --session 0198c0de-7a11-7000-8000-000000000000',
      ]),
    )
    .action(async (flags: UsageFlags) => finish(await (await import('./commands/usage.ts')).showUsage(flags)))
}

function parseGroupings(text: string): readonly UsageGroupingName[] {
  const names = text.split(',').map((name) => name.trim())
  const known = names.filter(isGrouping)
  if (known.length === names.length && names.length <= 4) return known
  throw new InvalidArgumentError(`Give up to four of ${Object.keys(USAGE_GROUPINGS).join(', ')}.`)
}

const isGrouping = (name: string): name is UsageGroupingName => Object.hasOwn(USAGE_GROUPINGS, name)
