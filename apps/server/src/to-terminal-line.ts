const LONGEST = 1000

/** One line that a terminal shows as it is: what it quotes may hold line ends, control characters and megabytes. */
export function toTerminalLine(text: string): string {
  const line = text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '\ufffd')
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`
}
