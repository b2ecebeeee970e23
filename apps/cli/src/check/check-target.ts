import { AAP_CASES } from './aap-cases.ts'
import { AAP_TURN_CASES } from './aap-turn-cases.ts'
import { openAapWorld, whyNotScripted } from './aap-world.ts'
import { ACP_CASES } from './acp-cases.ts'
import { AcpWorld, whyNotScriptedAcp } from './acp-world.ts'
import { BLADE_CASES } from './blade-cases.ts'
import { BladeWorld, whyNotScriptedBlade } from './blade-world.ts'
import { runCases, type RunOptions } from './check-case.ts'
import type { CheckReport } from './report.ts'

export interface CheckChoice extends Pick<RunOptions, 'rules' | 'skipsOurs'> {
  readonly key?: string | undefined
  readonly agent?: string | undefined
}

/** `url` is where AAP is mounted, such as `http://127.0.0.1:8020/aap/v3`. The version is the one that `/meta` says. */
export async function checkAap(url: string, { key = '', agent, ...choice }: CheckChoice): Promise<CheckReport> {
  const world = await openAapWorld({
    baseUrl: url.replace(/(?<!\/)\/+$/, ''),
    key,
    ...(agent !== undefined && { agent }),
  })
  const { version } = world.target
  const cases = [...AAP_CASES, ...AAP_TURN_CASES].filter(({ versions }) => versions?.includes(version) ?? true)
  const options = { contract: 'aap', whyNotScripted: await whyNotScripted(world), ...choice } as const
  const results = await runCases(cases, world, options)
  return { protocol: `AAP ${version}`, target: url, agent: world.target.agent, results }
}

export async function checkBlade(url: string, { key = '', agent, ...choice }: CheckChoice): Promise<CheckReport> {
  const world = new BladeWorld({ url: url.replace(/(?<!\/)\/+$/, ''), key, agent })
  // Rejects when there is no server.
  await world.ask('GET', '/api/version')
  const options = { contract: 'blade', whyNotScripted: await whyNotScriptedBlade(world), ...choice } as const
  return { protocol: 'Blade', target: url, agent, results: await runCases(BLADE_CASES, world, options) }
}

export async function checkAcp(command: string, choice: CheckChoice): Promise<CheckReport> {
  const world = new AcpWorld(command)
  const options = { contract: 'acp', whyNotScripted: await whyNotScriptedAcp(world), ...choice } as const
  return { protocol: 'ACP', target: command, results: await runCases(ACP_CASES, world, options) }
}
