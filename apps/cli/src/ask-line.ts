import { createInterface } from 'node:readline'

/** A trimmed line. `undefined`: the user left without an answer. `cancel`: Ctrl-C. */
export type LineAnswer = { readonly line: string } | 'cancel' | undefined

export type AskLine = (question: string) => Promise<LineAnswer>

export const askLine: AskLine = (question) => {
  const dialogue = createInterface({ input: process.stdin, output: process.stderr })
  return new Promise((resolve) => {
    // Ctrl-D closes the dialogue; Ctrl-C arrives here and not as a signal.
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
