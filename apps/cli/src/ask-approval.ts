import type { WaitingCall } from '@polylogue/console/client'
import { askLine } from './ask-line.ts'
import type { Terminal } from './terminal.ts'
import { toTerminalLine } from './terminal-text.ts'
import { formatWhatRuns } from './what-runs.ts'

/** `undefined`: the user left without an answer. `cancel`: Ctrl-C. */
export type ApprovalAnswer = 'yes' | 'no' | 'cancel' | undefined

/** Shows exactly what would run and asks until the answer is clear. */
export async function askApproval({ stderr }: Terminal, call: WaitingCall): Promise<ApprovalAnswer> {
  stderr.write(`${stderr.bold(toTerminalLine(call.sentence))}\n`)
  for (const line of formatWhatRuns(call)) stderr.write(`  ${line}\n`)
  for (;;) {
    const answer = await askLine('Allow it? [y/n] ')
    if (answer === undefined || answer === 'cancel') return answer
    if (/^y(es)?$/i.test(answer.line)) return 'yes'
    if (/^no?$/i.test(answer.line)) return 'no'
  }
}
