import type { Output, Terminal } from './terminal.ts'
import { toTerminalLine, toTerminalText } from './terminal-text.ts'
import type { StreamedEvent } from './turn-stream.ts'
import { textOf, type TurnEvent } from './wire.ts'

export interface TurnPrinter {
  print(streamed: StreamedEvent): void
  /** Leaves the cursor at the start of a line. */
  finish(): void
}

const LONGEST_NOTE = 200

/** One JSON object a line for every wire event; the first one of each request also names the session. */
export function createJsonPrinter(stdout: Output, sessionId: string): TurnPrinter {
  return {
    print({ json, event }) {
      stdout.write(`${JSON.stringify(event?.event === 'turn_start' ? { ...json, sessionId } : json)}\n`)
    },
    finish() {},
  }
}

/** Text to stdout as it comes. On stderr: thinking, if somebody is looking, and a line for every tool call. */
export function createTextPrinter({ stdout, stderr }: Terminal): TurnPrinter {
  let unfinished: Output | undefined
  let lastBlock: string | undefined

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

  const say = (text: string) => write(stdout, text, (safe) => safe)
  const think = (text: string) => stderr.isTerminal && write(stderr, text, stderr.dim)

  function print(event: TurnEvent): void {
    switch (event.event) {
      case 'turn_start':
        break
      case 'text_delta':
        say(event.delta)
        break
      case 'text':
        say(event.text)
        endLine()
        break
      case 'thinking_delta':
        think(event.delta)
        break
      case 'thinking':
        think(event.thinking)
        endLine()
        break
      case 'tool_call':
        note(`→ ${event.name} ${JSON.stringify(event.input)}`)
        break
      case 'tool_result':
        note(`← ${textOf(event.content)}`)
        break
      case 'resync':
        note('The answer broke off and starts again:')
        break
      case 'turn_stop':
        endLine()
        break
    }
  }

  return {
    print({ event, block }) {
      // A step that was interrupted and asked again begins its text anew.
      if (block !== lastBlock) endLine()
      lastBlock = block
      if (event) print(event)
    },
    finish: endLine,
  }
}

function shorten(text: string): string {
  return text.length > LONGEST_NOTE ? `${text.slice(0, LONGEST_NOTE)}…` : text
}
