const LONGEST = 1000
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{DI}]/gu

/** One line that a terminal shows as it is: what it quotes may hold line ends, hidden characters and megabytes. */
export function toTerminalLine(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ').replace(HIDDEN, spellOut)
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`
}

/** As the engine does it, without loading the engine before an error. */
function spellOut(hidden: string): string {
  const digits = (hidden.codePointAt(0) ?? 0).toString(16)
  return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`
}
