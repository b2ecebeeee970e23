import type { Command } from 'commander'
import type { LinkFlags } from './commands/link.ts'
import { formatExamples, withDataFlags } from './define-verbs.ts'

export function defineLink(program: Command, finish: (exitCode: number) => void): void {
  withDataFlags(program.command('link'))
    .description('print a one-time link that signs a browser in to the running server')
    .option('--user <user>', 'user to sign in (default: local)')
    .option('--json', 'print the link, its user and its expiry as JSON')
    .addHelpText('after', formatExamples(['link', 'link --user anna']))
    .action(async (flags: LinkFlags) => finish(await (await import('./commands/link.ts')).link(flags)))
}
