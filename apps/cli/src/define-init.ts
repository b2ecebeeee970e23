import type { Command } from 'commander'
import { formatExamples } from './define-verbs.ts'

export function defineInit(program: Command, finish: (exitCode: number) => void): void {
  program
    .command('init')
    .description('make a folder for agents of your own: a configuration, an agent in Markdown, a tool with a test')
    .argument('[dir]', 'the folder (default: this one); files in it stay as they are')
    .addHelpText('after', formatExamples(['init my-agents', 'init']))
    .action(async (dir: string | undefined) => finish(await (await import('./commands/init.ts')).init(dir)))
}
