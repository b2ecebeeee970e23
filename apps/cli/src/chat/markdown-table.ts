import { toTerminalLine } from '../terminal-text.ts'
import { displayWidth } from './display-width.ts'

export interface MarkdownTable {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly aligns: readonly Align[]
}

type Align = 'left' | 'right' | 'center'

const GAP = '  '
const DELIMITER = /^:?-+:?$/

/** Whether a line can be a row of a table: the row must begin with a bar. */
export const isTableRow = (line: string): boolean => /^ {0,3}\|/.test(line)

/** Whether a line can be the second one of a table. */
export const isDelimiterRow = (line: string): boolean =>
  isTableRow(line) && splitCells(line).every((cell) => DELIMITER.test(cell))

/** Reads the lines of a table: the head, the delimiters, and any number of rows. Rows have as many cells as the head. */
export function parseTable([first = '', second = '', ...others]: readonly string[]): MarkdownTable {
  const head = splitCells(first).map(plainCell)
  const delimiters = splitCells(second)
  return {
    head,
    aligns: head.map((_, index) => alignOf(delimiters[index] ?? '')),
    rows: others.map((line) => {
      const cells = splitCells(line).map(plainCell)
      return head.map((_, index) => cells[index] ?? '')
    }),
  }
}

/** The head, a line and the rows, in columns. `undefined`: they do not fit. */
export function alignTable({ head, rows, aligns }: MarkdownTable, columns: number): readonly string[] | undefined {
  const widths = head.map((cell, index) =>
    Math.max(...[cell, ...rows.map((row) => row[index] ?? '')].map(displayWidth), 1),
  )
  const width = widths.reduce((sum, one) => sum + one, 0) + GAP.length * (widths.length - 1)
  if (width > columns) return undefined
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => pad(cell, widths[index] ?? 0, aligns[index] ?? 'left'))
      .join(GAP)
      .trimEnd()
  return [line(head), '─'.repeat(width), ...rows.map(line)]
}

/** A bar after a backslash is part of the cell. */
function splitCells(line: string): readonly string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll(String.raw`\|`, '|'))
}

/** Without the marks of code and bold text, and as it is shown: control characters are wider when they are spelled out. */
const plainCell = (cell: string): string => toTerminalLine(cell.replaceAll(/`([^`]+)`|\*\*([^*]+)\*\*/g, '$1$2'))

function alignOf(delimiter: string): Align {
  if (!delimiter.endsWith(':')) return 'left'
  return delimiter.startsWith(':') ? 'center' : 'right'
}

function pad(cell: string, width: number, align: Align): string {
  const room = Math.max(0, width - displayWidth(cell))
  const before = align === 'right' ? room : align === 'center' ? Math.floor(room / 2) : 0
  return `${' '.repeat(before)}${cell}${' '.repeat(room - before)}`
}
