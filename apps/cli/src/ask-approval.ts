import type { WaitingCall } from '@polylogue/console/client'
import { askLine } from './ask-line.ts'
import { forgetTyped } from './forget-typed.ts'
import type { Terminal } from './terminal.ts'
import { toTerminalLine } from './terminal-text.ts'
import { formatWhatRuns, type ShownCall } from './what-runs.ts'

/** As many lines as a small terminal shows. */
const MOST_IN_SIGHT = 20

/** `offer`: yes, and always what this offer covers. `undefined`: the user left without an answer. `cancel`: Ctrl-C. */
export type ApprovalAnswer = 'yes' | 'no' | { readonly offer: string } | 'cancel' | undefined

export type Offer = NonNullable<WaitingCall['approval']>['offers'][number]

/** Shows exactly what would run and the offers, and asks until the answer is clear. What was typed before is no answer. */
export async function askApproval(
  { stderr }: Terminal,
  call: WaitingCall,
  offers: readonly Offer[] = [],
): Promise<ApprovalAnswer> {
  stderr.write(`${stderr.bold(toTerminalLine(call.sentence))}\n`)
  for (const line of formatAsked(call)) stderr.write(`${line}\n`)
  for (const [index, { label }] of offers.entries()) stderr.write(`${index + 1}. ${toTerminalLine(label)}\n`)
  const numbers = offers.map((_, index) => `/${index + 1}`).join('')
  if (await forgetTyped(process.stdin)) return 'cancel'
  for (;;) {
    const answer = await askLine(`Allow it? [y/n${numbers}] `)
    if (answer === undefined || answer === 'cancel') return answer
    if (/^y(es)?$/i.test(answer.line)) return 'yes'
    if (/^no?$/i.test(answer.line)) return 'no'
    const offer = /^\d$/.test(answer.line) ? offers[Number(answer.line) - 1] : undefined
    if (offer) return { offer: offer.id }
    if (answer.line !== '') stderr.write(explainAnswers(offers.length))
  }
}

function explainAnswers(offers: number): string {
  const always = offers === 0 ? '' : ` ${offers === 1 ? '1' : `1 to ${offers}`}: yes, and always what that line says.`
  return `y: yes, this once. n: no; the agent goes on without it.${always} Ctrl-C: cancel the turn.\n`
}

/** All that would run, indented. A long call is named again at its end, because its start is out of sight by then. */
export function formatAsked(call: ShownCall): readonly string[] {
  const lines = formatWhatRuns(call)
  const [first = ''] = lines
  const shown = lines.map((line) => `  ${line}`)
  return lines.length > MOST_IN_SIGHT ? [...shown, `(${lines.length} lines: ${call.name} ${first})`] : shown
}
