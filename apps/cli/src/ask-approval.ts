import { createInterface } from 'node:readline'
import type { Terminal } from './terminal.ts'
import { toTerminalLine } from './terminal-text.ts'
import type { ToolCall } from './waiting-calls.ts'

/** `undefined`: the human left without an answer. `cancel`: Ctrl-C. */
export type ApprovalAnswer = 'yes' | 'no' | 'cancel' | undefined

/** Shows exactly what would run, all of it, and asks until the answer is clear. */
export async function askApproval({ stderr }: Terminal, call: ToolCall): Promise<ApprovalAnswer> {
  stderr.write(`${stderr.bold('The agent asks to run')} ${toTerminalLine(call.name)}\n`)
  stderr.write(`  ${toTerminalLine(JSON.stringify(call.input))}\n`)
  for (;;) {
    const answer = await askLine('Allow it? [y/n] ')
    if (answer === undefined || answer === 'cancel') return answer
    if (/^y(es)?$/i.test(answer.line)) return 'yes'
    if (/^no?$/i.test(answer.line)) return 'no'
  }
}

function askLine(question: string): Promise<{ readonly line: string } | 'cancel' | undefined> {
  const dialogue = createInterface({ input: process.stdin, output: process.stderr })
  return new Promise((resolve) => {
    // Without an answer the promise must settle too: Ctrl-D closes the dialogue, Ctrl-C arrives here and not as a signal.
    dialogue.once('close', () => resolve(undefined))
    dialogue.once('SIGINT', () => {
      resolve('cancel')
      dialogue.close()
    })
    dialogue.question(question, (line) => {
      resolve({ line: line.trim() })
      dialogue.close()
    })
  })
}
