import { once } from 'node:events'
import { checkAap, checkAcp, checkBlade, type CheckChoice } from '../check/check-target.ts'
import { formatReport, type CheckReport } from '../check/report.ts'
import { startScriptModel } from '../check/script-model.ts'
import { CommandFailure } from '../command-failure.ts'
import { ExitCode } from '../exit-code.ts'
import { createTerminal } from '../terminal.ts'

export interface CheckFlags {
  readonly acp?: string
  readonly blade?: boolean
  readonly key?: string
  readonly agent?: string
  readonly rules?: string
  readonly required?: boolean
  readonly scriptModel?: number
  readonly json?: boolean
}

export async function check(url: string | undefined, flags: CheckFlags): Promise<number> {
  if (flags.scriptModel !== undefined) return serveScriptModel(flags.scriptModel)
  const report = await runCheck(url, flags)
  const { stdout } = createTerminal(process)
  stdout.write(flags.json ? `${JSON.stringify(report)}\n` : formatReport(report))
  return report.results.some(({ verdict }) => verdict === 'fail') ? ExitCode.failed : ExitCode.done
}

async function runCheck(url: string | undefined, { acp, blade, ...flags }: CheckFlags): Promise<CheckReport> {
  const choice: CheckChoice = {
    key: flags.key ?? process.env['POLYLOGUE_KEY'],
    agent: flags.agent,
    rules: flags.rules?.split(',').map((rule) => rule.trim()),
    skipsOurs: flags.required,
  }
  if ((acp === undefined) === (url === undefined)) {
    throw new CommandFailure('give the URL of a server, or --acp with a command', ExitCode.usage)
  }
  try {
    if (acp !== undefined) return await checkAcp(acp, choice)
    return await (blade ? checkBlade : checkAap)(url ?? '', choice)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailure(`${acp ?? url ?? ''} cannot be checked: ${reason}`, ExitCode.usage)
  }
}

/** Until it is interrupted. */
async function serveScriptModel(port: number): Promise<number> {
  const model = await startScriptModel(port)
  process.stdout.write(`${model.url}\n`)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  await model.stop()
  return ExitCode.done
}
