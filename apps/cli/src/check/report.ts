import type { CheckResult, Verdict } from './check-case.ts'

export interface CheckReport {
  /** Such as `AAP 3`. */
  readonly protocol: string
  readonly target: string
  readonly agent?: string | undefined
  readonly results: readonly CheckResult[]
}

const MARKS: Readonly<Record<Verdict, string>> = { pass: 'pass', fail: 'FAIL', 'not applicable': 'n/a ' }

export function formatReport({ protocol, target, agent, results }: CheckReport): string {
  const head = `${protocol} at ${target}${agent === undefined ? '' : `, agent ${agent}`}\n\n`
  const width = Math.max(...results.map(({ rule }) => rule.length))
  const lines = results.map(({ rule, says, verdict, reason }) => {
    const line = `${MARKS[verdict]}  ${rule.padStart(width)}  ${says}\n`
    return reason === undefined ? line : `${line}${' '.repeat(width + 8)}${reason}\n`
  })
  return `${head}${lines.join('')}\n${summarize(results)}\n`
}

export function summarize(results: readonly CheckResult[]): string {
  const count = (verdict: Verdict): number => results.filter((result) => result.verdict === verdict).length
  return `${count('pass')} passed, ${count('fail')} failed, ${count('not applicable')} not applicable`
}
