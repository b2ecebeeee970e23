/**
 * What one proof did, as it tells it in a line of JSON.
 * @typedef {object} ProofResult
 * @property {string} id the row of the fault plan, such as `F9`
 * @property {string} what
 * @property {number} count
 * @property {number} failures
 * @property {string} seed
 * @property {number} seconds
 * @property {readonly string[]} [complaints] what failed; the first few
 */

/**
 * A last line without its end is still being written.
 * @param {string} text
 * @returns {readonly ProofResult[]}
 */
export function parseProofResults(text) {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map(parseResult)
}

/**
 * @param {string} line
 * @returns {ProofResult}
 */
function parseResult(line) {
  /** @type {unknown} */
  const result = JSON.parse(line)
  if (!isResult(result)) throw new Error(`not the result of a proof: ${line}`)
  return result
}

/**
 * @param {unknown} value
 * @returns {value is ProofResult}
 */
function isResult(value) {
  if (typeof value !== 'object' || value === null) return false
  const { id, what, count, failures, seed, seconds, complaints } = /** @type {Record<string, unknown>} */ (value)
  return (
    (complaints === undefined || (Array.isArray(complaints) && complaints.every((one) => typeof one === 'string'))) &&
    [id, what, seed].every((field) => typeof field === 'string') &&
    [count, failures, seconds].every((field) => typeof field === 'number' && Number.isFinite(field))
  )
}
