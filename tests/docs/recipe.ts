// Recipes in CONTRIBUTING.md: numbered steps whose blocks say what to create, change and run.
import type { FencedBlock } from './markdown.ts'
import { parsePage } from './markdown.ts'

/** The blocks below a `###` heading, without the indentation of the list that they stand in. */
export function blocksOfSection(markdown: string, heading: string): readonly FencedBlock[] {
  const [, section] = markdown.split(`\n### ${heading}\n`)
  if (section === undefined) throw new Error(`there is no section ${heading}`)
  const [own = ''] = section.split(/\n#{2,3} /)
  return parsePage(own.replaceAll(/^ {3}/gm, '')).blocks
}

/** ` ` is context, `-` goes, `+` comes. The context and what goes must occur once, as whole lines. */
export function applyDiff(text: string, diff: string): string {
  const changes = diff.split('\n')
  const without = (sign: string): string[] =>
    changes.filter((line) => !line.startsWith(sign)).map((line) => line.slice(1))
  const [before, after, lines] = [without('+'), without('-'), text.split('\n')]
  const starts = lines.map((_, start) => start)
  const [place, ...more] = starts.filter((start) => before.every((line, index) => lines[start + index] === line))
  if (place === undefined || more.length > 0) {
    throw new Error(`this occurs ${place === undefined ? 0 : 1 + more.length} times, not once:\n${before.join('\n')}`)
  }
  return lines.toSpliced(place, before.length, ...after).join('\n')
}
