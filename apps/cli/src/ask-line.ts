import { createInterface } from 'node:readline'

/** A trimmed line. `undefined`: the user left without an answer. `cancel`: Ctrl-C. */
export type LineAnswer = { readonly line: string } | 'cancel' | undefined

export type AskLine = (question: string) => Promise<LineAnswer>

export const askLine: AskLine = (question) => {
  const dialogue = createInterface({ input: process.stdin, output: process.stderr })
  return new Promise((resolve) => {
    let answer: LineAnswer
    // Ctrl-D closes the dialogue; Ctrl-C arrives here and not as a signal. Both leave the cursor behind the question.
    dialogue.once('close', () => {
      if (typeof answer !== 'object') process.stderr.write('\n')
      resolve(answer)
    })
    dialogue.once('SIGINT', () => {
      answer = 'cancel'
      dialogue.close()
    })
    dialogue.question(question, (line) => {
      answer = { line: line.trim() }
      dialogue.close()
    })
  })
}
