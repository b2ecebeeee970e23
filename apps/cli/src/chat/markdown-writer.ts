// Shows Markdown while it streams. The start of a line decides its form; then each word is written as soon as it is
// complete. Code in backticks and bold text wait for their end, a table for its last row. Everything else stays as the model
// wrote it.
import type { Output } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'
import { displayWidth, isWide } from './display-width.ts'
import { alignTable, isDelimiterRow, isTableRow, parseTable, type MarkdownTable } from './markdown-table.ts'

export interface MarkdownWriter {
  write(text: string): void
  /** Writes what is still held back, and ends the line and an open code block. */
  end(): void
}

type Paint = (text: string) => string

const TAB = '    '
const CODE_INDENT = '  '
const LONGEST_RULE = 40
/** With its marks. Longer ones are shown as they are. */
const LONGEST_SPAN = 304
/** A longer word is written in pieces: each new character would look at all of it again. */
const LONGEST_WORD = 200
const LONGEST_MARK = 200
/** A longer line is no row of a table, and a table with more rows goes on as text: both are held back. */
const LONGEST_ROW = 4_000
const MOST_ROWS = 200

/** The line could still become a heading, a list, a quote, a fence or a rule. */
const UNDECIDED = /^[ \t]{0,40}(?:#{1,6}|[-*_+]{1,3}|\d{1,3}[.)]?|>|`{1,2}|~{1,2})?[ \t]{0,40}\r?$/
const FENCE = /^[ \t]{0,40}(`{3,}|~{3,})/
const HEADING = /^ {0,3}#{1,6}[ \t]+/
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/
const COULD_BE_RULE = /^ {0,3}([-*_])(?:[ \t]*\1)+[ \t]*\r?$/
const ITEM = /^([ \t]{0,40})([-*+]|\d{1,3}[.)])[ \t]+/
const QUOTE = /^ {0,3}>[ \t]?/
const SPAN = /^(?:`([^`]{1,300})`|\*\*(\S(?:.{0,298}?\S)??)\*\*)/
const OPENS_SPAN = /^(?:`|\*\*(?=\S|$)|\*$)/
/** Marks that open no span, and the text up to the next mark. */
const CHUNK = /^(?:`+|\*+)?[^`*]*/

export interface MarkdownScreen {
  readonly output: Output
  readonly columns: () => number
  readonly paintCode: Paint
}

export function createMarkdownWriter({ output, columns, paintCode }: MarkdownScreen): MarkdownWriter {
  const plain: Paint = (text) => text
  let pending = ''
  let fence: string | undefined
  /** Rows that are held back. */
  let table: string[] = []
  /** Absent between two lines. */
  let line: { readonly indent: string; readonly paint: Paint } | undefined
  let column = 0
  let space = ''

  /** All text of the model is written here. */
  function emit(text: string, paint: Paint = plain): void {
    output.write(paint(toTerminalLine(text)))
  }

  function newLine(): void {
    output.write('\n')
    line = undefined
    column = 0
    space = ''
  }

  function writeWord(word: string, paint: Paint): void {
    if (!line) return
    const width = displayWidth(toTerminalLine(word))
    if (column + space.length + width > columns() && column > line.indent.length) {
      output.write(line.indent === '' ? '\n' : `\n${line.paint(line.indent)}`)
      column = line.indent.length
      space = ''
    }
    output.write(space)
    emit(word, (text) => line?.paint(paint(text)) ?? text)
    column += space.length + width
    // A word that is wider than the terminal goes on in the next rows.
    if (column > columns()) column %= columns()
    space = ''
  }

  /** Words, and single wide characters, which can be parted anywhere. */
  function writeWords(text: string, paint: Paint = plain): void {
    for (const piece of text.match(/[ \t]+|[^ \t]+/g) ?? []) {
      if (/^[ \t]/.test(piece)) space += piece.replaceAll('\t', ' ')
      else for (const word of splitWide(piece)) writeWord(word, paint)
    }
  }

  /** Takes the start of a line. `false`: more text is needed. */
  function beginLine(isWhole: boolean): boolean {
    if (!isWhole && (UNDECIDED.test(pending) || isShort(pending, COULD_BE_RULE))) return false
    const item = ITEM.exec(pending)
    if (item) {
      const [start, before = '', mark = ''] = item
      const indent = before.replaceAll('\t', TAB)
      begin(`${indent}${/\d/.test(mark) ? mark : '•'} `, start.length)
      return true
    }
    const quote = QUOTE.exec(pending)
    if (quote) {
      output.write(output.dim('│ '))
      line = { indent: '│ ', paint: output.dim }
      column = 2
      pending = pending.slice(quote[0].length)
      return true
    }
    const heading = HEADING.exec(pending)
    if (heading) pending = pending.slice(heading[0].length)
    line = { indent: '', paint: heading ? output.bold : plain }
    return true
  }

  function begin(prefix: string, taken: number): void {
    emit(prefix)
    line = { indent: ' '.repeat(prefix.length), paint: plain }
    column = prefix.length
    pending = pending.slice(taken)
  }

  /** Writes the complete words of a line that has begun, or all words of a whole line. Returns the rest. */
  function takeWords(text: string, isWhole: boolean): string {
    let rest = text
    while (rest !== '') {
      const [span = '', code, bold = ''] = SPAN.exec(rest) ?? []
      if (span !== '') {
        if (code === undefined) writeWords(bold, output.bold)
        else writeWords(code, paintCode)
        rest = rest.slice(span.length)
        continue
      }
      if (!isWhole && OPENS_SPAN.test(rest) && rest.length <= LONGEST_SPAN) return rest
      const chunk = CHUNK.exec(rest)?.[0] ?? rest
      const isLast = chunk.length === rest.length
      const end = isLast && !isWhole ? endOfWords(chunk) : chunk.length
      writeWords(chunk.slice(0, end))
      if (isLast) return chunk.slice(end)
      rest = rest.slice(chunk.length)
    }
    return ''
  }

  /** Keeps a row of a table. `false`: the line is none. */
  function keepRow(text: string): boolean {
    const isRow = isTableRow(text) && text.length <= LONGEST_ROW && table.length < MOST_ROWS
    const fits = isRow && (table.length !== 1 || isDelimiterRow(text))
    if (!fits) flushTable()
    if (isRow) table.push(text)
    return isRow
  }

  function flushTable(): void {
    const rows = table
    table = []
    if (rows.length > 1) writeTable(parseTable(rows))
    else for (const row of rows) writeTextLine(row)
  }

  /** Flushes what comes before the line that has begun. */
  function flushTableBefore(): void {
    const begun = pending
    flushTable()
    pending = begun
  }

  /** In columns where they fit, otherwise a block for each row: its first cell, then the others with their heads. */
  function writeTable(read: MarkdownTable): void {
    const lines = alignTable(read, columns())
    for (const [index, text] of lines?.entries() ?? []) {
      emit(text, index === 0 ? output.bold : index === 1 ? output.dim : plain)
      newLine()
    }
    if (lines !== undefined) return
    for (const row of read.rows) {
      for (const [index, cell] of row.entries()) {
        line = { indent: '    '.slice(0, index * 4), paint: plain }
        space = ' '.repeat(index === 0 ? 0 : 2)
        if (index > 0) writeWords(`${read.head[index] ?? ''}: `)
        writeWords(cell, index === 0 ? output.bold : plain)
        newLine()
      }
    }
  }

  function writeTextLine(text: string): void {
    pending = text
    beginLine(true)
    takeWords(pending, true)
    newLine()
  }

  function writeWholeLine(text: string): void {
    if (line === undefined) {
      if (fence === undefined && keepRow(text)) return
      const mark = isShort(text, FENCE) ? FENCE.exec(text)?.[1] : undefined
      if (fence !== undefined) {
        if (mark?.startsWith(fence) === true && text.trim() === mark) fence = undefined
        else {
          emit(`${CODE_INDENT}${text.replaceAll('\t', TAB)}`, output.dim)
          newLine()
        }
        return
      }
      if (mark !== undefined) {
        fence = mark
        return
      }
      if (isShort(text, RULE)) {
        emit('─'.repeat(Math.min(columns(), LONGEST_RULE)), output.dim)
        newLine()
        return
      }
      writeTextLine(text)
      return
    }
    takeWords(text, true)
    newLine()
  }

  function drain(): void {
    for (let at = pending.indexOf('\n'); at !== -1; at = pending.indexOf('\n')) {
      const text = pending.slice(0, at).replace(/\r$/, '')
      const rest = pending.slice(at + 1)
      writeWholeLine(text)
      pending = rest
    }
    if (pending === '' || fence !== undefined) return
    if (line === undefined) {
      if (isShort(pending, FENCE)) return
      // Until its end, it could be a row.
      if (isTableRow(pending) && pending.length <= LONGEST_ROW && table.length < MOST_ROWS) return
      if (!UNDECIDED.test(pending)) flushTableBefore()
    }
    if (line !== undefined || beginLine(false)) pending = takeWords(pending, false)
  }

  return {
    write(text) {
      pending += text
      if (fence === undefined || text.includes('\n')) drain()
    },
    end() {
      if (pending !== '') writeWholeLine(pending)
      else if (line !== undefined) newLine()
      flushTable()
      pending = ''
      fence = undefined
    },
  }
}

/** Longer fences and rules are text: they would be held back until the line ends. */
const isShort = (text: string, form: RegExp): boolean => text.length <= LONGEST_MARK && form.test(text)

/** Where the last word begins that may still grow. A wide character is a word. */
function endOfWords(text: string): number {
  let end = 0
  let at = 0
  for (const character of text) {
    at += character.length
    if (character === ' ' || character === '\t' || isWide(character)) end = at
  }
  return at - end > LONGEST_WORD ? at : end
}

function splitWide(text: string): readonly string[] {
  const words: string[] = []
  let narrow = ''
  for (const character of text) {
    if (isWide(character)) {
      if (narrow !== '') words.push(narrow)
      words.push(character)
      narrow = ''
    } else narrow += character
  }
  return narrow === '' ? words : [...words, narrow]
}
