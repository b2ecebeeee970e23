import type { Command } from 'commander'
import type { ModelsFlags } from './commands/models.ts'
import { formatExamples, withDataFlags } from './define-verbs.ts'

export function defineModels(program: Command, finish: (exitCode: number) => void): void {
  const models = withDataFlags(program.command('models'))
    .description('list the models that you can use, their prices and the default')
    .argument('[text]', 'only models whose name or title contains this')
    .option('--config <file>', 'configuration, if no server is running')
    .option('--json', 'print JSON')
    .addHelpText('after', formatExamples(['models', 'models claude', 'models --json', 'models refresh']))
    .action(async (text: string | undefined, flags: ModelsFlags) =>
      finish(await (await import('./commands/models.ts')).listModels(text, flags)),
    )
  withDataFlags(models.command('refresh'))
    .description('fetch the newest list of models and prices into the data directory, with npm')
    .addHelpText('after', formatExamples(['models refresh']))
    .action(async (flags: ModelsFlags) =>
      finish(await (await import('./commands/models-refresh.ts')).refreshModelList({ ...models.opts(), ...flags })),
    )
}
