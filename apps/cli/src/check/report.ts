import { toTerminalLine } from '../terminal-text.ts'
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
  const head = `${protocol} at ${toTerminalLine(target)}${agent === undefined ? '' : `, agent ${shown(agent)}`}\n\n`
  const width = Math.max(...results.map(({ rule }) => rule.length))
  const lines = results.map(({ rule, says, verdict, reason }) => {
    const line = `${MARKS[verdict]}  ${rule.padStart(width)}  ${says}\n`
    return reason === undefined ? line : `${line}${' '.repeat(width + 8)}${shown(reason)}\n`
  })
  return `${head}${lines.join('')}\n${summarize(results)}\n`
}

const LONGEST_SHOWN = 2_000

/** Words of the server under test, which must not write to the terminal as we do. */
function shown(text: string): string {
  const line = toTerminalLine(text)
  return line.length <= LONGEST_SHOWN ? line : `${line.slice(0, LONGEST_SHOWN).toWellFormed()}…`
}

export function summarize(results: readonly CheckResult[]): string {
  const count = (verdict: Verdict): number => results.filter((result) => result.verdict === verdict).length
  return `${count('pass')} passed, ${count('fail')} failed, ${count('not applicable')} not applicable`
}
