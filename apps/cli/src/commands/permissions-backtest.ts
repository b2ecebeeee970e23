import { ExitCode } from '../exit-code.ts'
import { formatLocalTime } from '../local-time.ts'
import { requestJson } from '../owner-link.ts'
import { backtestResult, type BacktestResult, type TestedCall } from '../permission-wire.ts'
import { formatTable } from '../table.ts'
import { createTerminal } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'
import { withOwner } from '../with-owner.ts'
import { PERMISSIONS_PATH, tellWarnings, toRuleBody, type RuleFlags, type RuleSubject } from './permissions.ts'

export interface BacktestFlags extends RuleFlags {
  readonly first?: boolean
  readonly calls: number
}

const HEADING = ['WHEN', 'TOOL', 'HAPPENED', 'NOW', 'WITH IT', 'CALL']
const WORDS: { readonly [decision: string]: string } = {
  allow: 'allow',
  ask: 'ask',
  deny: 'deny',
  disabled: 'not there',
}
const LONGEST_CALL = 80

export function backtestRule(subject: RuleSubject, flags: BacktestFlags): Promise<number> {
  const body = { rule: toRuleBody(subject, flags), first: flags.first ?? false, calls: flags.calls }
  return withOwner(flags, async (link) => {
    const path = `${PERMISSIONS_PATH}/backtest`
    const result = await requestJson(link, backtestResult, { method: 'POST', path, body })
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
    WORDS[call.without] ?? call.without,
    WORDS[call.with] ?? call.with,
    shown.length > LONGEST_CALL ? `${shown.slice(0, LONGEST_CALL)}…` : shown,
  ]
}

function summarize({ looked, sessions, unknown, totals, changed, isComplete }: BacktestResult): string {
  const { allow, ask, deny } = totals
  const about = Object.values(totals).reduce((sum, count) => sum + count, 0)
  return [
    `Of ${looked} calls in ${sessions} sessions the rule is about ${about}: ${allow} allowed, ${ask} asked, ${deny} denied.`,
    `${changed} would be decided otherwise than now.`,
    ...(unknown > 0 ? [`Of ${unknown} calls it cannot be told.`] : []),
    ...(isComplete ? [] : ['Older calls were not looked at.']),
  ].join(' ')
}
