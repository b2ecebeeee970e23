import { findPlaces } from './find-places.ts'
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
const MOST_PLACES = 100_000

/** Models write LF. In a file whose lines all end in CR LF, both texts are converted. */
export function replaceText({ text, usesCrLf }: FileText, change: TextChange): ReplacedText {
  const oldText = usesCrLf ? toCrLf(change.oldText) : change.oldText
  const newText = usesCrLf ? toCrLf(change.newText) : change.newText
  if (oldText === newText) return { problem: 'is the same as newText, so nothing would change in' }
  const places = findPlaces(text, oldText, MOST_PLACES + 1)
  const { length: count, 0: firstAt } = places
  if (firstAt === undefined) return { problem: 'was not found, exactly as it is given, in' }
  if (count > MOST_PLACES) return { problem: `was found more than ${MOST_PLACES} times, which is the limit, in` }
  if (count > 1 && !change.replaceAll)
    return { problem: `was found ${count} times: give more of what surrounds it, or set replaceAll, for` }
  if (text.length + count * (newText.length - oldText.length) > LONGEST_RESULT)
    return { problem: `is in ${count} places, and newText would make too long a file of` }
  const pieces: string[] = []
  let end = 0
  for (const at of places) {
    pieces.push(text.slice(end, at))
    end = at + oldText.length
  }
  pieces.push(text.slice(end))
  return { text: pieces.join(newText), count, firstAt }
}

/** Applies all changes, each to the result of the one before, or none. Others have their turn in between. */
export async function replaceTexts(
  file: FileText,
  changes: readonly TextChange[],
): Promise<{ readonly text: string; readonly count: number } | { readonly problem: string; readonly index: number }> {
  let { text } = file
  let count = 0
  const reading = new Reading()
  for (const [index, change] of changes.entries()) {
    if (!(await reading.goOn(text.length)))
      return { problem: 'comes after too many other edits of so large a file as', index }
    const result = replaceText({ ...file, text }, change)
    if ('problem' in result) return { problem: result.problem, index }
    text = result.text
    count += result.count
  }
  return { text, count }
}

/** In UTF-16 units. A turn of the event loop reads so much within a few tens of milliseconds. */
const PER_TURN = 4 * 1024 * 1024
const MOST_READ = 256 * 1024 * 1024

/** What the edits of one call read: a large file as often as there are edits. */
export class Reading {
  #read = 0
  #inTurn = 0

  /** Resolves to `false` when it would be too much. */
  async goOn(length: number): Promise<boolean> {
    this.#read += length
    this.#inTurn += length
    if (this.#read > MOST_READ) return false
    if (this.#inTurn > PER_TURN) {
      this.#inTurn = length
      await new Promise((resolve) => void setImmediate(resolve))
    }
    return true
  }
}

export function toCrLf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n')
}
