import type { UsageGrouping } from '@polylogue/console/client'
import { InvalidArgumentError, type Command } from 'commander'
import type { UsageFlags } from './commands/usage.ts'
import { formatExamples, parseCount, withDataFlags } from './define-verbs.ts'

// Written here, because help must not wait for the schemas of the client.
const GROUPINGS: readonly UsageGrouping[] = [
  'model',
  'day',
  'session',
  'turn',
  'sub-agent',
  'step',
  'agent',
  'key',
  'user',
  'kind',
]

export function defineUsage(program: Command, finish: (exitCode: number) => void): void {
  withDataFlags(program.command('usage'))
    .description('show the tokens and the cost of model calls')
    .option('--by <what>', `group by one or more of ${GROUPINGS.join(', ')}, separated by commas`, parseGroupings, [
      'model',
    ])
    .option('--session <id>', 'only this session')
    .option('--turn <id>', 'only this turn')
    .option('--key <id>', 'only calls made with this API key; the id from `keys list`')
    .option('--user <user>', 'only this user')
    .option('--since <date>', 'only from this date on, for example 2026-11-01 (UTC)')
    .option('--until <date>', 'only before this date')
    .option('-n, --limit <number>', 'maximum number of lines', parseCount, 1000)
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

function parseGroupings(text: string): readonly UsageGrouping[] {
  const names = text.split(',').map((name) => name.trim())
  const known = names.filter(isGrouping)
  if (known.length === names.length && names.length <= 4) return known
  throw new InvalidArgumentError(`Use up to four of ${GROUPINGS.join(', ')}.`)
}

const isGrouping = (name: string): name is UsageGrouping => GROUPINGS.some((known) => known === name)
