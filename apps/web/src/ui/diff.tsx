import { structuredPatch } from 'diff'
import { useMemo } from 'react'
import { spellBidi } from './spell-bidi.ts'
import './diff.css'

interface DiffProps {
  readonly path: string
  readonly oldText: string
  readonly newText: string
  /** The line of the file that both texts start at. Absent: lines have no numbers. */
  readonly line?: number | undefined
}

interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
  readonly before?: number
  readonly after?: number
}

/** What changes in a file, made from both texts and never from the text of a diff. */
export function Diff({ path, oldText, newText, line }: DiffProps) {
  const hunks = useMemo(() => toHunks(oldText, newText), [oldText, newText])
  return (
    <figure className="diff">
      <figcaption>{spellBidi(path)}</figcaption>
      <div className="diff-scroll" tabIndex={0}>
        <table>
          <tbody>
            {hunks.flatMap((lines, hunk) => [
              ...(hunk === 0
                ? []
                : [
                    <tr key={`gap${hunk}`} className="diff-gap">
                      <td colSpan={4}>⋯</td>
                    </tr>,
                  ]),
              ...lines.map(({ kind, text, before, after }, index) => (
                <tr key={`${hunk}-${index}`} className={kind}>
                  <td className="diff-number">{numberFrom(line, before)}</td>
                  <td className="diff-number">{numberFrom(line, after)}</td>
                  <td className="diff-sign">{kind === 'added' ? '+' : kind === 'removed' ? '−' : ' '}</td>
                  <td className="diff-text">{spellBidi(text)}</td>
                </tr>
              )),
            ])}
          </tbody>
        </table>
      </div>
    </figure>
  )
}

const numberFrom = (line: number | undefined, number: number | undefined): number | undefined =>
  line === undefined || number === undefined ? undefined : line - 1 + number

export function toHunks(oldText: string, newText: string): readonly (readonly DiffLine[])[] {
  // Texts that both end inside of a file: the line break after them does not change.
  const isCut = [oldText, newText].every((text) => text !== '' && !text.endsWith('\n'))
  const [before, after] = isCut ? [`${oldText}\n`, `${newText}\n`] : [oldText, newText]
  const { hunks } = structuredPatch('', '', before, after, '', '', { context: 3 })
  return hunks.map(({ oldStart, newStart, lines }) => {
    let before = oldStart
    let after = newStart
    return lines
      .filter((line) => !line.startsWith('\\'))
      .map((line): DiffLine => {
        const text = line.slice(1)
        if (line.startsWith('+')) return { kind: 'added', text, after: after++ }
        if (line.startsWith('-')) return { kind: 'removed', text, before: before++ }
        return { kind: 'same', text, before: before++, after: after++ }
      })
  })
}
