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

const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/** Lines in the format of `cat -n`, which every model knows. Copies only the lines that it returns. */
export function numberLines(text: string, { offset, limit, isCut }: LineWindow): NumberedLines {
  const lines: string[] = []
  let count = 0
  let characters = 0
  let isFull = false
  for (let start = 0; start < text.length; count += 1) {
    const end = endOfLine(text, start)
    isFull ||= lines.length === limit
    if (count + 1 >= offset && !isFull) {
      const until = end < text.length && text.charCodeAt(end - 1) === CARRIAGE_RETURN && end > start ? end - 1 : end
      const numbered = `${String(count + 1).padStart(6)}\t${cutLine(text.slice(start, until))}`
      isFull = lines.length > 0 && characters + numbered.length > MOST_CHARACTERS
      if (!isFull) lines.push(numbered)
      characters += numbered.length
    }
    start = end + 1
  }
  const total = isCut ? `the first ${count}` : `${count}`
  if (offset > count) return { lines: [], notes: [`has only ${total} lines`] }
  const last = offset - 1 + lines.length
  if (offset === 1 && last === count) return { lines, notes: [] }
  const goOn = last < count ? `; go on with offset ${last + 1}` : ''
  return { lines, notes: [`Lines ${offset} to ${last} of ${total}${goOn}.`] }
}

/** The next line feed, or the end of the text. */
function endOfLine(text: string, start: number): number {
  let at = start
  while (at < text.length && text.charCodeAt(at) !== LINE_FEED) at += 1
  return at
}

function cutLine(line: string): string {
  if (line.length <= LONGEST_LINE) return line
  return `${line.slice(0, LONGEST_LINE).toWellFormed()}… [${line.length - LONGEST_LINE} more characters]`
}
