import type { Command } from 'commander'
import type { EvalFlags } from './commands/eval.ts'
import { formatExamples, parseCount } from './define-verbs.ts'

export function defineEval(program: Command, finish: (exitCode: number) => void): void {
  program
    .command('eval')
    .description('let the agent coder repair thirty small repositories, and count what passes')
    .option('--model <provider/name>', 'ask this model (default: answers written by hand, offline)')
    .option('--only <tasks>', 'only these tasks, separated by commas')
    .option('--jobs <number>', 'how many tasks run at a time', parseCount, 4)
    .option('--allow-unconfined', 'ask a real model where no sandbox works')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      formatExamples(['eval', 'eval --model openai/gpt-5.2', 'eval --model ollama/qwen3 --only off-by-one --jobs 1']) +
        '\nThe keys of providers come from the environment. The commands of the model are approved unseen and run in the' +
        '\nsandbox, in a temporary folder. Exit codes: 0 every task passed, 1 a task failed.',
    )
    .action(async (flags: EvalFlags) => finish(await (await import('./commands/eval.ts')).evaluate(flags)))
}
