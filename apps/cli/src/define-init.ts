import type { Command } from 'commander'
import { formatExamples } from './define-verbs.ts'

export function defineInit(program: Command, finish: (exitCode: number) => void): void {
  program
    .command('init')
    .description('create a project for your own agents: a configuration, an agent in Markdown, a tool with a test')
    .argument('[dir]', 'the folder (default: the current one); existing files are not changed')
    .addHelpText('after', formatExamples(['init my-agents', 'init']))
    .action(async (dir: string | undefined) => finish(await (await import('./commands/init.ts')).init(dir)))
}
