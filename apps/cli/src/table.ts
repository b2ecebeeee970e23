import { toTerminalLine } from './terminal-text.ts'

/**
 * Columns separated by two spaces, each as wide as its longest cell. Cells hold text of anybody: each stays on its line,
 * and control characters are spelled out.
 */
export function formatTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heading, ...rows.map((row) => row.map(toTerminalLine))]
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)))
  return lines
    .map((line) => line.map((cell, column) => (column + 1 < line.length ? cell.padEnd(widths[column] ?? 0) : cell)))
    .map((cells) => `${cells.join('  ').trimEnd()}\n`)
    .join('')
}
