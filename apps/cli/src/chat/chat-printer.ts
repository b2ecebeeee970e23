import type { StreamedUpdate, TurnUpdate } from '@polylogue/aap/client'
import { formatQuestions } from '../ask-questions.ts'
import { createBreakWatch } from '../broken-answer.ts'
import { BROKE_OFF, type TurnPrinter } from '../turn-printer.ts'
import { toTerminalLine, toTerminalText } from '../terminal-text.ts'
import { formatDiff, formatWhatRuns, type ShownCall } from '../what-runs.ts'
import type { ChatScreen } from './chat-screen.ts'
import { cutLine, wrapLine } from './display-width.ts'
import { createMarkdownWriter } from './markdown-writer.ts'

export interface ChatPrinter extends TurnPrinter {
  /** The user has just read all of this call: its result repeats nothing of it. */
  markRead(toolCallId: string): void
  /** Whether the diff of this call shows only what the model gave, which may be a part of a line. */
  lacksLines(toolCallId: string): boolean
  /** What the call does to files, in whole lines. */
  addDiffs(toolCallId: string, diffs: ShownCall['diffs']): void
}

const MOST_DIFF_LINES = 40
/** Of a long result. A command says at its end why it failed. */
const FIRST_RESULT_LINES = 4
const LAST_RESULT_LINES = 4
/** Of the first line of a result, which says why a call failed. Other lines are cut. */
const MOST_FIRST_ROWS = 3

/** How the engine begins the result of a call that changed nothing. */
const FAILED = /^(Error: |Tool call )/

/** Markdown as it streams, thinking in grey, a line for each tool call, then its diff and the start of its result. */
export function createChatPrinter({ terminal: { stdout }, columns, paint }: ChatScreen): ChatPrinter {
  const markdown = createMarkdownWriter({ output: stdout, columns, paintCode: paint.code })
  const calls = new Map<string, ShownCall>()
  let isThinking = false
  let lastBlock: string | undefined
  /** The call whose line was printed last: results of others name theirs. */
  let lastCall: string | undefined
  const isBegunAnew = createBreakWatch()

  function endText(): void {
    markdown.end()
    if (isThinking) stdout.write('\n')
    isThinking = false
  }

  function note(text: string, color: (text: string) => string = stdout.dim): void {
    stdout.write(`${color(cutLine(toTerminalLine(text), columns()))}\n`)
  }

  const lineOf = ({ name, input, diffs }: ShownCall): string => {
    const isQuestion = name === 'AskUserQuestion'
    const [first = ''] = isQuestion ? formatQuestions({ input }) : formatWhatRuns({ name, input, diffs })
    return toTerminalLine(`${name} ${first}`)
  }

  function printCall(call: ShownCall): void {
    stdout.write(`${stdout.bold('●')} ${cutLine(lineOf(call), columns() - 2)}\n`)
    if (call.name === 'TodoWrite') for (const line of formatWhatRuns(call).slice(1)) note(`  ${line}`)
  }

  function printDiff(call: ShownCall): void {
    if (call.name !== 'Edit' && call.name !== 'Write') return
    const isWhole = call.name === 'Edit' && call.diffs.length > 0
    const lines = isWhole ? call.diffs.flatMap(formatDiff) : formatWhatRuns(call).slice(1)
    for (const line of lines.slice(0, MOST_DIFF_LINES)) {
      note(`  ${line}`, line.startsWith('+') ? paint.added : line.startsWith('-') ? paint.removed : stdout.dim)
    }
    noteMore(lines.length - MOST_DIFF_LINES)
  }

  function printResult(toolCallId: string, text: string): void {
    const call = calls.get(toolCallId)
    calls.delete(toolCallId)
    if (call && toolCallId !== lastCall) note(`○ ${lineOf(call)}`)
    if (call && !FAILED.test(text)) printDiff(call)
    const all = text.trimEnd().split('\n')
    const lines = all.slice(all.findIndex((line) => line.trim() !== ''))
    const [first = '', ...others] = outdent(lines.map((line) => line.replace(/\r$/, '').replaceAll('\t', '  ')))
    for (const [index, row] of wrapFirst(first, columns() - 4).entries()) note(`${index === 0 ? '  └ ' : '    '}${row}`)
    const hidden = lines.length - FIRST_RESULT_LINES - LAST_RESULT_LINES
    const head = others.slice(0, hidden > 0 ? FIRST_RESULT_LINES - 1 : undefined)
    for (const line of head) note(`    ${line}`)
    noteMore(hidden)
    if (hidden > 0) for (const line of others.slice(-LAST_RESULT_LINES)) note(`    ${line}`)
  }

  function noteMore(count: number): void {
    if (count > 0) note(`    … ${count} more ${count === 1 ? 'line' : 'lines'}`)
  }

  function print(update: TurnUpdate): void {
    if (update.type !== 'thinking' && isThinking) endText()
    if (update.type !== 'text') markdown.end()
    switch (update.type) {
      case 'started':
      case 'stopped':
        break
      case 'text':
        markdown.write(update.text)
        if (update.isWhole) endText()
        break
      case 'thinking':
        stdout.write(stdout.dim(toTerminalText(update.text)))
        isThinking = true
        if (update.isWhole) endText()
        break
      case 'tool-call': {
        const call = { name: update.name, input: update.input, diffs: [] }
        calls.set(update.toolCallId, call)
        lastCall = update.toolCallId
        printCall(call)
        break
      }
      case 'tool-result':
        printResult(update.toolCallId, update.text)
        break
      case 'resync':
        note(BROKE_OFF)
        break
    }
  }

  return {
    print(streamed: StreamedUpdate) {
      const { update, block } = streamed
      if (block !== lastBlock) endText()
      lastBlock = block
      if (isBegunAnew(streamed)) note(BROKE_OFF)
      if (update) print(update)
    },
    finish: endText,
    lacksLines(toolCallId) {
      const call = calls.get(toolCallId)
      return call?.name === 'Edit' && call.diffs.length === 0
    },
    addDiffs(toolCallId, diffs) {
      const call = calls.get(toolCallId)
      if (call) calls.set(toolCallId, { ...call, diffs })
    },
    markRead(toolCallId) {
      calls.delete(toolCallId)
      lastCall = toolCallId
    },
  }
}

/** Takes the indentation away that all lines share. */
function outdent(lines: readonly string[]): readonly string[] {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => indentOf(line).length)
  const shared = Math.min(...indents, Number.MAX_SAFE_INTEGER)
  return lines.map((line) => line.slice(Math.min(shared, indentOf(line).length)))
}

const indentOf = (line: string): string => /^ */.exec(line)?.[0] ?? ''

/** The last row has the rest of the line, to be cut. */
function wrapFirst(line: string, columns: number): readonly string[] {
  const indent = indentOf(line)
  const rows = wrapLine(toTerminalLine(line.slice(indent.length)), columns - indent.length).map((row) => indent + row)
  const last = MOST_FIRST_ROWS - 1
  return rows.length <= MOST_FIRST_ROWS ? rows : [...rows.slice(0, last), rows.slice(last).join(' ')]
}
