import type { FileText } from './text-file.ts'

export interface TextChange {
  readonly oldText: string
  readonly newText: string
  readonly replaceAll: boolean
}

export type ReplacedText =
  | { readonly text: string; readonly count: number; readonly firstAt: number }
  /** The beginning of a sentence that ends with the name of the file. */
  | { readonly problem: string }

/** A short text may occur very often. */
const LONGEST_RESULT = 16 * 1024 * 1024

/** Models write LF. In a file whose lines all end in CR LF, both texts are converted. */
export function replaceText({ text, usesCrLf }: FileText, change: TextChange): ReplacedText {
  const oldText = usesCrLf ? toCrLf(change.oldText) : change.oldText
  const newText = usesCrLf ? toCrLf(change.newText) : change.newText
  if (oldText === newText) return { problem: 'is the same as newText, so nothing would change in' }
  const firstAt = text.indexOf(oldText)
  const count = countIn(text, oldText)
  if (count === 0) return { problem: 'was not found, exactly as it is given, in' }
  if (count > 1 && !change.replaceAll)
    return { problem: `was found ${count} times: give more of what surrounds it, or set replaceAll, for` }
  if (text.length + count * (newText.length - oldText.length) > LONGEST_RESULT)
    return { problem: `is in ${count} places, and newText would make too long a file of` }
  // A function, so that `$&` in the text has no special meaning.
  return { text: text.replaceAll(oldText, () => newText), count, firstAt }
}

/** Applies all changes, each to the result of the one before, or none. */
export function replaceTexts(
  file: FileText,
  changes: readonly TextChange[],
): { readonly text: string; readonly count: number } | { readonly problem: string; readonly index: number } {
  let { text } = file
  let count = 0
  for (const [index, change] of changes.entries()) {
    const result = replaceText({ ...file, text }, change)
    if ('problem' in result) return { problem: result.problem, index }
    text = result.text
    count += result.count
  }
  return { text, count }
}

function countIn(text: string, part: string): number {
  let count = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1
  return count
}

export function toCrLf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n')
}
