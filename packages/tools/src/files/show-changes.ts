import { Reading, replaceText, toCrLf, type TextChange } from './replace-text.ts'
import type { FileText } from './text-file.ts'

export interface ShownChange {
  readonly oldText: string
  readonly newText: string
  /** Where the old text begins in the result of the changes before. Absent: it is not there. */
  readonly line?: number
}

/**
 * What the changes would do, as whole lines: a model may give part of a line, which tells a reader little. A change that does
 * not fit, fits in many places, or has a very long line, is shown as it was given.
 */
export async function showChanges(
  file: FileText | undefined,
  changes: readonly TextChange[],
): Promise<readonly ShownChange[]> {
  const shown: ShownChange[] = []
  const reading = new Reading()
  let before = file
  for (const change of changes) {
    const given = { oldText: change.oldText, newText: change.newText }
    const isReadable = before !== undefined && (await reading.goOn(2 * before.text.length))
    if (before === undefined || !isReadable) {
      before = undefined
      shown.push(given)
      continue
    }
    const { text } = before
    const result = replaceText(before, change)
    const place = 'problem' in result ? replaceText(before, { ...change, newText: '', replaceAll: true }) : result
    before = 'problem' in result ? undefined : { ...before, text: result.text }
    if ('problem' in place) shown.push(given)
    else {
      const line = text.slice(0, place.firstAt).split('\n').length
      const isOne = before !== undefined && place.count === 1
      shown.push({ ...(isOne ? inWholeLines(text, place.firstAt, change) : given), line })
    }
  }
  return shown
}

/** Of what is shown around a change. */
const LONGEST_AROUND = 4_000

function inWholeLines(text: string, at: number, { oldText, newText }: TextChange) {
  const length = (text.startsWith(oldText, at) ? oldText : toCrLf(oldText)).length
  const lead = text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
  const keepsEnd = oldText.endsWith('\n') && (newText.endsWith('\n') || (newText === '' && lead === ''))
  const rest = keepsEnd ? '' : (/^[^\r\n]*/.exec(text.slice(at + length))?.[0] ?? '')
  if (lead.length + rest.length > LONGEST_AROUND) return { oldText, newText }
  return { oldText: `${lead}${oldText}${rest}`, newText: `${lead}${newText}${rest}` }
}
