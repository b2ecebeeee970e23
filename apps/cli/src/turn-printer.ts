import type { StreamedUpdate, TurnUpdate } from '@polylogue/aap/client'
import { createBreakWatch } from './broken-answer.ts'
import type { Output, Terminal } from './terminal.ts'
import { toTerminalLine, toTerminalText } from './terminal-text.ts'

export interface TurnPrinter {
  print(streamed: StreamedUpdate): void
  /** Leaves the cursor at the start of a line. */
  finish(): void
}

export const BROKE_OFF = 'The answer broke off and starts again:'

const LONGEST_NOTE = 200

/** One JSON object per line for every event as it came; the first event of each request also names the session. */
export function createJsonPrinter(stdout: Output, sessionId: string): TurnPrinter {
  return {
    print({ json, update }) {
      stdout.write(`${JSON.stringify(update?.type === 'started' ? { ...json, sessionId } : json)}\n`)
    },
    finish() {},
  }
}

/** Text goes to stdout as it comes. Thinking (at a terminal only) and a line per tool call go to stderr. */
export function createTextPrinter({ stdout, stderr }: Terminal): TurnPrinter {
  let unfinished: Output | undefined
  let lastBlock: string | undefined
  const isBegunAnew = createBreakWatch()

  function write(output: Output, text: string, paint: (text: string) => string): void {
    if (text === '') return
    if (unfinished && unfinished !== output) endLine()
    output.write(paint(output.isTerminal ? toTerminalText(text) : text))
    unfinished = text.endsWith('\n') ? undefined : output
  }

  function endLine(): void {
    unfinished?.write('\n')
    unfinished = undefined
  }

  function note(text: string): void {
    endLine()
    stderr.write(`${stderr.dim(shorten(toTerminalLine(text)))}\n`)
  }

  function print(update: TurnUpdate): void {
    switch (update.type) {
      case 'started':
        break
      case 'text':
        write(stdout, update.text, (safe) => safe)
        if (update.isWhole) endLine()
        break
      case 'thinking':
        write(stderr, update.text, stderr.dim)
        if (update.isWhole) endLine()
        break
      case 'tool-call':
        note(`→ ${update.name} ${JSON.stringify(update.input)}`)
        break
      case 'tool-result':
        note(`← ${update.text}`)
        break
      case 'resync':
        note(BROKE_OFF)
        break
      case 'stopped':
        endLine()
        break
    }
  }

  return {
    print(streamed) {
      const { update, block } = streamed
      if (update?.type === 'thinking' && !stderr.isTerminal) return
      if (block !== lastBlock) endLine()
      lastBlock = block
      if (isBegunAnew(streamed)) note(BROKE_OFF)
      if (update) print(update)
    },
    finish: endLine,
  }
}

function shorten(text: string): string {
  return text.length > LONGEST_NOTE ? `${text.slice(0, LONGEST_NOTE)}…` : text
}
