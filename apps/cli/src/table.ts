/** Columns parted by two spaces, each as wide as its longest cell; the last one is left as it is. */
export function formatTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heading, ...rows]
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)))
  return lines
    .map((line) => line.map((cell, column) => (column + 1 < line.length ? cell.padEnd(widths[column] ?? 0) : cell)))
    .map((cells) => `${cells.join('  ').trimEnd()}\n`)
    .join('')
}
