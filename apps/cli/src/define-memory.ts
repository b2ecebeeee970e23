import { InvalidArgumentError, Option, type Command } from 'commander'
import type { MemoryAddFlags, MemoryFlags, MemoryListFlags } from './commands/memory.ts'
import { formatExamples, parseCount, withDataFlags } from './define-verbs.ts'

type Finish = (exitCode: number) => void

const type = (about: string): Option => new Option('--type <type>', about).choices(['feedback', 'experience'])

export function defineMemory(program: Command, finish: Finish): void {
  const memory = program
    .command('memory')
    .description('list, add and remove memories about you')
    .addHelpText('after', formatExamples(['memory list', 'memory add "We deploy on Tuesdays only"', 'memory remove 3']))
  defineList(memory, finish)
  defineAdd(memory, finish)
  defineRemove(memory, finish)
}

function defineList(memory: Command, finish: Finish): void {
  withDataFlags(memory.command('list'))
    .description('list your memories, newest first')
    .option('--keyword <text>', 'only memories that contain this text')
    .addOption(type('only memories of this type'))
    .option('--topic <topic>', 'only memories of this topic')
    .option('-n, --limit <number>', 'how many', parseCount, 100)
    .option('--json', 'print JSON')
    .addHelpText('after', formatExamples(['memory list', 'memory list --keyword deploy --json']))
    .action(async (flags: MemoryListFlags) => finish(await (await import('./commands/memory.ts')).listMemories(flags)))
}

function defineAdd(memory: Command, finish: Finish): void {
  withDataFlags(memory.command('add'))
    .description('add a memory; agents get it when it fits your input')
    .argument('<content>', 'what to remember, at most 500 characters; - reads it from stdin')
    .addOption(type('kind of memory (default: feedback)'))
    .option('--topic <topic>', 'one or two words for its subject')
    .option('--supersedes <id>', 'the memory that this one corrects', parseId)
    .option('--json', 'print the memory as JSON')
    .addHelpText(
      'after',
      formatExamples([
        'memory add "We deploy on Tuesdays only"',
        'memory add --supersedes 3 "We deploy on Fridays"',
        'memory add - < note.txt',
      ]),
    )
    .action(async (content: string, flags: MemoryAddFlags) =>
      finish(await (await import('./commands/memory.ts')).addMemory(content, flags)),
    )
}

function defineRemove(memory: Command, finish: Finish): void {
  withDataFlags(memory.command('remove'))
    .description('remove memories')
    .argument('<id...>', 'ids from `memory list`')
    .addHelpText('after', formatExamples(['memory list', 'memory remove 3 4']))
    .action(async (ids: readonly string[], flags: MemoryFlags) =>
      finish(await (await import('./commands/memory.ts')).removeMemories(ids, flags)),
    )
}

function parseId(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('Give the number of a memory.')
  return Number(text)
}
