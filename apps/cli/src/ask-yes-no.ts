import { askLine } from './ask-line.ts'
import { forgetTyped } from './forget-typed.ts'

/** Only a yes that was typed after the question counts. */
export async function askYesNo(question: string): Promise<boolean> {
  if (await forgetTyped(process.stdin)) return false
  for (;;) {
    const answer = await askLine(`${question} [y/n] `)
    if (answer === undefined || answer === 'cancel') return false
    if (/^y(es)?$/i.test(answer.line)) return true
    if (/^no?$/i.test(answer.line)) return false
  }
}
