import { createInterface } from 'node:readline'
import { watchPaste } from '../bracketed-paste.ts'

/** `undefined`: Ctrl-D on an empty line. `cancel`: Ctrl-C on an empty line. */
export type PromptAnswer = { readonly text: string } | 'cancel' | undefined

/** For terminals that do not mark a paste: its lines come one right after the other. */
const PASTE_MS = 30
const PROMPT = '> '

/**
 * Reads what the user says: a line, lines that end in a backslash and the next one, or a paste of several lines. A paste
 * that the terminal marks is sent by the Enter that follows it, so the user can add to it. `typed` was typed before.
 */
export function createPrompt(): (typed: string) => Promise<PromptAnswer> {
  let history: string[] = []
  return (typed) =>
    new Promise((resolve) => {
      const dialogue = createInterface({
        input: process.stdin,
        output: process.stdout,
        prompt: PROMPT,
        history: [...history],
        removeHistoryDuplicates: true,
      })
      const paste = watchPaste(process.stdout)
      const lines: string[] = []
      let pasting: NodeJS.Timeout | undefined
      const finish = (answer: PromptAnswer): void => {
        clearTimeout(pasting)
        resolve(answer)
        paste.stop()
        dialogue.close()
      }
      dialogue.on('history', (entries: string[]) => (history = [...entries]))
      dialogue.on('close', () => {
        paste.stop()
        resolve(undefined)
      })
      dialogue.on('SIGINT', () => {
        if (lines.length === 0 && dialogue.line === '') return finish('cancel')
        // As a shell does it: what was typed so far is dropped.
        lines.length = 0
        paste.forget()
        clearTimeout(pasting)
        dialogue.write(null, { ctrl: true, name: 'e' })
        dialogue.write(null, { ctrl: true, name: 'u' })
        process.stdout.write('\n')
        dialogue.prompt()
      })
      dialogue.on('line', (line) => {
        lines.push(line)
        if (paste.isPasting) return
        clearTimeout(pasting)
        pasting = setTimeout(() => {
          // The end of a paste can be without a line break.
          const text = [...lines, ...(dialogue.line === '' ? [] : [dialogue.line])]
          if (dialogue.line === '' && lines.at(-1)?.endsWith('\\') === true) dialogue.prompt()
          else finish({ text: text.join('\n').replaceAll('\\\n', '\n') })
        }, PASTE_MS)
      })
      dialogue.prompt()
      if (typed !== '') dialogue.write(typed)
    })
}
