import type { WaitingCall } from '@polylogue/console/client'
import { askLine } from './ask-line.ts'
import { forgetTyped } from './forget-typed.ts'
import type { Terminal } from './terminal.ts'
import { toTerminalLine } from './terminal-text.ts'
import { formatWhatRuns } from './what-runs.ts'

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
  for (const line of formatWhatRuns(call)) stderr.write(`  ${line}\n`)
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
  }
}
