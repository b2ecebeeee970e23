/** @typedef {{ sign: ' ' | '+' | '-', text: string }} DiffLine */

/** Above this the middle is shown as wholly replaced; comparing it would hold the page up. */
const MOST_COMPARISONS = 1_000_000

/**
 * The lines of both texts: kept, taken away, added.
 * @param {string} oldText
 * @param {string} newText
 * @returns {DiffLine[]}
 */
export function diffLines(oldText, newText) {
  const before = linesOf(oldText)
  const after = linesOf(newText)
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  return [
    ...mark(' ', before.slice(0, start)),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...mark(' ', before.slice(before.length - end)),
  ]
}

/** By the longest common subsequence. @param {string[]} before @param {string[]} after @returns {DiffLine[]} */
function diffMiddle(before, after) {
  if (before.length * after.length > MOST_COMPARISONS) return [...mark('-', before), ...mark('+', after)]
  const width = after.length + 1
  const longest = new Uint32Array((before.length + 1) * width)
  /** @param {number} row @param {number} column */
  const at = (row, column) => longest[row * width + column] ?? 0
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      const isSame = before[row] === after[column]
      longest[row * width + column] = isSame
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  /** @type {DiffLine[]} */
  const lines = []
  let row = 0
  let column = 0
  while (row < before.length && column < after.length) {
    if (before[row] === after[column]) {
      lines.push({ sign: ' ', text: before[row] ?? '' })
      row += 1
      column += 1
    } else if (at(row + 1, column) >= at(row, column + 1)) lines.push({ sign: '-', text: before[row++] ?? '' })
    else lines.push({ sign: '+', text: after[column++] ?? '' })
  }
  return [...lines, ...mark('-', before.slice(row)), ...mark('+', after.slice(column))]
}

/** @param {string} text */
function linesOf(text) {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** @param {DiffLine['sign']} sign @param {string[]} lines @returns {DiffLine[]} */
function mark(sign, lines) {
  return lines.map((text) => ({ sign, text }))
}
