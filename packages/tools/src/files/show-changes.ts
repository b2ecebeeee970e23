import { replaceText, toCrLf, type TextChange } from './replace-text.ts'
import type { FileText } from './text-file.ts'

export interface ShownChange {
  readonly oldText: string
  readonly newText: string
  /** Where the old text begins in the result of the changes before. Absent: it is not there. */
  readonly line?: number
}

/**
 * What the changes would do, as whole lines: a model may give part of a line, which tells a reader little. A change that does
 * not fit, or fits in many places, is shown as it was given.
 */
export function showChanges(file: FileText | undefined, changes: readonly TextChange[]): readonly ShownChange[] {
  let before = file
  return changes.map((change): ShownChange => {
    const given = { oldText: change.oldText, newText: change.newText }
    if (before === undefined) return given
    const { text } = before
    const result = replaceText(before, change)
    const place = 'problem' in result ? replaceText(before, { ...change, newText: '', replaceAll: true }) : result
    before = 'problem' in result ? undefined : { ...before, text: result.text }
    if ('problem' in place) return given
    const line = text.slice(0, place.firstAt).split('\n').length
    return { ...(before === undefined || place.count > 1 ? given : inWholeLines(text, place.firstAt, change)), line }
  })
}

function inWholeLines(text: string, at: number, { oldText, newText }: TextChange) {
  const length = (text.startsWith(oldText, at) ? oldText : toCrLf(oldText)).length
  const lead = text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
  const keepsEnd = oldText.endsWith('\n') && (newText.endsWith('\n') || (newText === '' && lead === ''))
  const rest = keepsEnd ? '' : (/^[^\r\n]*/.exec(text.slice(at + length))?.[0] ?? '')
  return { oldText: `${lead}${oldText}${rest}`, newText: `${lead}${newText}${rest}` }
}
