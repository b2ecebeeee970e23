export interface LineWindow {
  /** Counted from 1. */
  readonly offset: number
  readonly limit: number
  /** The text is not the whole file. */
  readonly isCut: boolean
}

export interface NumberedLines {
  readonly lines: string[]
  /** Says what was left out. */
  readonly notes: string[]
}

export const MOST_LINES = 2000
const LONGEST_LINE = 2000
const MOST_CHARACTERS = 128 * 1024

/** Lines in the format of `cat -n`, which every model knows. */
export function numberLines(text: string, { offset, limit, isCut }: LineWindow): NumberedLines {
  const all = text.split(/\r?\n/)
  if (all.at(-1) === '') all.pop()
  const total = isCut ? `the first ${all.length}` : `${all.length}`
  if (offset > all.length) return { lines: [], notes: [`has only ${total} lines`] }
  const lines: string[] = []
  let characters = 0
  for (const [index, line] of all.slice(offset - 1, offset - 1 + limit).entries()) {
    const numbered = `${String(offset + index).padStart(6)}\t${cutLine(line)}`
    if (lines.length > 0 && characters + numbered.length > MOST_CHARACTERS) break
    characters += numbered.length
    lines.push(numbered)
  }
  const last = offset - 1 + lines.length
  if (offset === 1 && last === all.length) return { lines, notes: [] }
  const goOn = last < all.length ? `; go on with offset ${last + 1}` : ''
  return { lines, notes: [`Lines ${offset} to ${last} of ${total}${goOn}.`] }
}

function cutLine(line: string): string {
  if (line.length <= LONGEST_LINE) return line
  return `${line.slice(0, LONGEST_LINE).toWellFormed()}… [${line.length - LONGEST_LINE} more characters]`
}
