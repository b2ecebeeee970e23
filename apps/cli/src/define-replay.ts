import type { Command } from 'commander'
import type { RecordFlags } from './commands/record.ts'
import type { ReplayFlags } from './commands/replay.ts'
import { formatExamples, withDataFlags } from './define-verbs.ts'

const SESSION = '0198c0de-7a11-7000-8000-000000000000'

export function defineReplay(program: Command, finish: (exitCode: number) => void): void {
  withDataFlags(program.command('record'))
    .argument('<session>')
    .description('keep the requests to models and their answers with a session')
    .option('--off', 'keep no more of them; what was kept stays until the session is deleted')
    .addHelpText('after', formatExamples([`record ${SESSION}`, `record ${SESSION} --off`]))
    .action(async (session: string, flags: RecordFlags) =>
      finish(await (await import('./commands/record.ts')).recordSession(session, flags)),
    )
  withDataFlags(program.command('replay'))
    .argument('<session>')
    .description("play a session through today's code and say where it would differ")
    .option('--test <file>', 'write the session as a test instead, and its recording beside it')
    .option('--json', 'print JSON')
    .addHelpText('after', formatExamples([`replay ${SESSION}`, `replay ${SESSION} --test checkout.test.ts`]))
    .action(async (session: string, flags: ReplayFlags) =>
      finish(await (await import('./commands/replay.ts')).replaySession(session, flags)),
    )
}
