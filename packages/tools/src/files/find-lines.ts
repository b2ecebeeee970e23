import { compilePattern } from './compile-pattern.ts'
import { decodeText } from './text-file.ts'

export interface LinePattern {
  readonly pattern: string
  readonly ignoreCase: boolean
  /** How many lines to show before and after each match. */
  readonly context: number
}

export interface FoundLine {
  /** Counted from 1. */
  readonly line: number
  readonly text: string
  readonly isMatch: boolean
}

const LONGEST_TEXT = 500
const BEFORE_MATCH = 100

/** The matching lines of a text file with their context, up to the limit. Empty for a binary file. */
export function findLines(bytes: Buffer, most: number, { context, ...pattern }: LinePattern): readonly FoundLine[] {
  const text = decodeText(bytes)?.text
  if (text === undefined) return []
  const regExp = compilePattern(pattern.pattern, pattern)
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  const found = new Map<number, FoundLine>()
  let count = 0
  for (const [index, line] of lines.entries()) {
    const match = regExp.exec(line)
    if (!match) continue
    count += 1
    if (count > most) break
    for (let near = Math.max(0, index - context); near <= Math.min(lines.length - 1, index + context); near += 1)
      if (!found.has(near)) found.set(near, { line: near + 1, text: cut(lines[near] ?? '', 0), isMatch: false })
    found.set(index, { line: index + 1, text: cut(line, match.index), isMatch: true })
  }
  return [...found.values()].sort((one, other) => one.line - other.line)
}

/** A very long line is shown around the match. */
function cut(line: string, at: number): string {
  if (line.length <= LONGEST_TEXT) return line
  const from = Math.max(0, Math.min(at - BEFORE_MATCH, line.length - LONGEST_TEXT))
  const end = from + LONGEST_TEXT
  const part = line.slice(from, end).toWellFormed()
  return `${from > 0 ? '…' : ''}${part}${end < line.length ? '…' : ''}`
}
