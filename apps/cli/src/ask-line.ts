import { createInterface } from 'node:readline'
import { watchPaste } from './bracketed-paste.ts'

/** A trimmed line, or several that were pasted. `undefined`: the user left without an answer. `cancel`: Ctrl-C. */
export type LineAnswer = { readonly line: string } | 'cancel' | undefined

export type AskLine = (question: string) => Promise<LineAnswer>

export const askLine: AskLine = (question) => {
  const dialogue = createInterface({ input: process.stdin, output: process.stderr })
  const paste = watchPaste(process.stderr)
  const pasted: string[] = []
  return new Promise((resolve) => {
    let answer: LineAnswer
    // Ctrl-D closes the dialogue; Ctrl-C arrives here and not as a signal. Both leave the cursor behind the question.
    dialogue.once('close', () => {
      paste.stop()
      if (typeof answer !== 'object') process.stderr.write('\n')
      resolve(answer)
    })
    dialogue.once('SIGINT', () => {
      answer = 'cancel'
      dialogue.close()
    })
    dialogue.on('line', (line) => {
      if (answer !== undefined) return
      pasted.push(line)
      if (paste.isPasting) return
      answer = { line: pasted.join('\n').trim() }
      dialogue.close()
    })
    dialogue.setPrompt(question)
    dialogue.prompt()
  })
}
