import { CONTRACT_RULES, type Contract } from './contract-rules.ts'

/** One rule of a contract, tried on a server. `run` throws a `RuleBroken`, or a `NotApplicable`. */
export interface CheckCase<World> {
  /** The number in `docs/contracts`. */
  readonly rule: string
  /** Whether the agent must follow scripts. */
  readonly isScripted?: boolean
  readonly run: (world: World) => Promise<void>
}

export type Verdict = 'pass' | 'fail' | 'not applicable'

export interface CheckResult {
  readonly rule: string
  readonly says: string
  /** Who requires the rule: `page`, `docs`, `client` or `ours`. */
  readonly basis: string
  readonly verdict: Verdict
  /** Why it failed or could not be tried. */
  readonly reason?: string
}

/** The server does not keep the rule. */
export class RuleBroken extends Error {
  override readonly name = 'RuleBroken'
}

/** The server cannot be asked to keep the rule. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
}

export interface RunOptions {
  readonly contract: Contract
  /** Why the agent does not follow scripts; absent if it does. */
  readonly whyNotScripted?: string | undefined
  /** Only these rules. */
  readonly rules?: readonly string[] | undefined
  /** Leaves out rules whose basis is `ours`. */
  readonly skipsOurs?: boolean | undefined
}

export async function runCases<World>(
  cases: readonly CheckCase<World>[],
  world: World,
  { contract, whyNotScripted, rules, skipsOurs = false }: RunOptions,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = []
  for (const tried of cases) {
    const { rule } = tried
    const [says = '', basis = ''] = CONTRACT_RULES[contract][rule] ?? []
    if ((rules && !rules.includes(rule)) || (skipsOurs && basis === 'ours')) continue
    const missing = tried.isScripted === true ? whyNotScripted : undefined
    results.push({ rule, says, basis, ...(missing === undefined ? await judge(tried, world) : skipped(missing)) })
  }
  return results
}

const skipped = (reason: string) => ({ verdict: 'not applicable', reason }) as const

/** Longer than any rule takes on a slow machine. A server that does not answer must not end the check. */
const LONGEST_CASE_MS = 60_000

async function judge<World>({ run }: CheckCase<World>, world: World): Promise<Pick<CheckResult, 'verdict' | 'reason'>> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new RuleBroken('the server did not answer in time')), LONGEST_CASE_MS)
  try {
    await Promise.race([run(world), late.promise])
    return { verdict: 'pass' }
  } catch (error) {
    if (error instanceof NotApplicable) return skipped(error.message)
    return { verdict: 'fail', reason: error instanceof Error ? error.message : String(error) }
  } finally {
    clearTimeout(timer)
  }
}
