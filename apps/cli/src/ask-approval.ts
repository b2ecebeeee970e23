import { askLine } from './ask-line.ts'
import type { Terminal } from './terminal.ts'
import { toTerminalLine } from './terminal-text.ts'
import type { WaitingCall } from './waiting-calls.ts'
import { describeReason, formatOwner, formatWhatRuns } from './what-runs.ts'

/** `undefined`: the human left without an answer. `cancel`: Ctrl-C. */
export type ApprovalAnswer = 'yes' | 'no' | 'cancel' | undefined

/** Shows exactly what would run, all of it, and asks until the answer is clear. */
export async function askApproval({ stderr }: Terminal, call: WaitingCall): Promise<ApprovalAnswer> {
  const who = call.subAgent === undefined ? 'The agent' : formatOwner(call.subAgent)
  stderr.write(`${stderr.bold(`${who} asks to run`)} ${toTerminalLine(call.name)}\n`)
  for (const line of formatWhatRuns(call)) stderr.write(`  ${line}\n`)
  if (call.reason !== undefined) stderr.write(`${stderr.dim(describeReason(call.reason))}\n`)
  for (;;) {
    const answer = await askLine('Allow it? [y/n] ')
    if (answer === undefined || answer === 'cancel') return answer
    if (/^y(es)?$/i.test(answer.line)) return 'yes'
    if (/^no?$/i.test(answer.line)) return 'no'
  }
}
