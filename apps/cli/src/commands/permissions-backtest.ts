import type { BacktestResult, TestedCall } from '@polylogue/console/client'
import { ExitCode } from '../exit-code.ts'
import { formatLocalTime } from '../local-time.ts'
import { formatTable } from '../table.ts'
import { createTerminal } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'
import { withOwner } from '../with-owner.ts'
import { tellWarnings, toRuleBody, type RuleFlags, type RuleSubject } from './permissions.ts'

export interface BacktestFlags extends RuleFlags {
  readonly first?: boolean
  readonly calls: number
}

const HEADING = ['WHEN', 'TOOL', 'HAPPENED', 'NOW', 'WITH IT', 'CALL']
const WORDS: { readonly [decision in TestedCall['with']]: string } = {
  allow: 'allow',
  ask: 'ask',
  deny: 'deny',
  disabled: 'no tool',
}
const LONGEST_CALL = 80

export function backtestRule(subject: RuleSubject, flags: BacktestFlags): Promise<number> {
  const body = { rule: toRuleBody(subject, flags), first: flags.first ?? false, calls: flags.calls }
  return withOwner(flags, async ({ console }) => {
    const result = await console.backtestRule({ body })
    const terminal = createTerminal(process)
    if (flags.json) terminal.stdout.write(`${JSON.stringify(result)}\n`)
    else {
      if (result.calls.length > 0) terminal.stdout.write(formatTable(HEADING, result.calls.map(toRow)))
      terminal.stderr.write(`${summarize(result)}\n`)
    }
    tellWarnings(terminal, result.warnings)
    return ExitCode.done
  })
}

function toRow({ at, tool, happened, what, ...call }: TestedCall): readonly string[] {
  const shown = toTerminalLine(what)
  return [
    formatLocalTime(at),
    toTerminalLine(tool),
    happened,
    WORDS[call.without],
    WORDS[call.with],
    shown.length > LONGEST_CALL ? `${shown.slice(0, LONGEST_CALL)}…` : shown,
  ]
}

function summarize({ looked, sessions, unknown, totals, changed, isComplete }: BacktestResult): string {
  const { allow, ask, deny } = totals
  const about = Object.values(totals).reduce((sum, count) => sum + count, 0)
  return [
    `The rule matches ${about} of ${looked} calls in ${sessions} sessions: ${allow} allowed, ${ask} asked, ${deny} denied.`,
    `${changed} would be decided differently.`,
    ...(unknown > 0 ? [`${unknown} calls could not be judged.`] : []),
    ...(isComplete ? [] : ['Older calls were not examined.']),
  ].join(' ')
}
