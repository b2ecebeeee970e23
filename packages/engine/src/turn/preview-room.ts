import type { CallInspection } from '../events/call-facts.ts'

/** Of the differences that the calls of one answer show together, in UTF-16 units. They are recorded with the answer. */
const MOST_SHOWN = 4 * 1024 * 1024

/** The room for the differences of one answer's calls: five hundred calls can each change a line of a large file. */
export class PreviewRoom {
  #left = MOST_SHOWN

  /** Without its differences where the calls before have left no room, as for a file that is too large for one. */
  fit(inspection: CallInspection): CallInspection {
    const { preview } = inspection
    const diffs = preview?.diffs ?? []
    const length = diffs.reduce((sum, { oldText = '', newText }) => sum + oldText.length + newText.length, 0)
    if (length > this.#left) return { ...inspection, preview: { ...preview, diffs: [] } }
    this.#left -= length
    return inspection
  }
}
