import { stripVTControlCharacters } from 'node:util'

const NONE = /\p{Mn}|\p{Me}|\p{Cf}/u
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u

export const isWide = (character: string): boolean => WIDE.test(character)

/** How many columns of a terminal a text takes. Colours take none. */
export function displayWidth(text: string): number {
  let width = 0
  for (const character of stripVTControlCharacters(text)) {
    if (!NONE.test(character)) width += isWide(character) ? 2 : 1
  }
  return width
}

/**
 * Breaks long lines between words. Indented lines stay as they are: they show what a call does, where a line break of
 * ours could be taken for one of the call.
 */
export function wrapLines(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (/^\s/.test(line) || displayWidth(line) <= columns ? line : wrapLine(line, columns).join('\n')))
    .join('\n')
}

/** Breaks one line between words. A word that is too long stays whole. */
export function wrapLine(line: string, columns: number): readonly string[] {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`
    if (current !== '' && displayWidth(longer) > columns) {
      lines.push(current)
      current = word
    } else current = longer
  }
  return [...lines, current]
}

/** Cuts a line to the columns. */
export function cutLine(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  let length = 0
  let width = 0
  for (const character of text) {
    width += displayWidth(character)
    if (width >= columns) break
    length += character.length
  }
  return `${text.slice(0, length)}…`
}
