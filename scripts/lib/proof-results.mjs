/**
 * What one proof did, as it tells it in a line of JSON.
 * @typedef {object} ProofResult
 * @property {string} id the row of the fault plan, such as `F9`
 * @property {string} what
 * @property {number} count
 * @property {number} failures
 * @property {'sqlite' | 'postgres'} [store] where the sessions were stored; `sqlite` if absent
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
  const { id, what, count, failures, seed, seconds, store, complaints } = /** @type {Record<string, unknown>} */ (value)
  return (
    (complaints === undefined || (Array.isArray(complaints) && complaints.every((one) => typeof one === 'string'))) &&
    [id, what, seed].every((field) => typeof field === 'string') &&
    [undefined, 'sqlite', 'postgres'].some((known) => store === known) &&
    [count, failures, seconds].every((field) => typeof field === 'number' && Number.isFinite(field))
  )
}

/**
 * How much was proved on each store, in one line.
 * @param {readonly ProofResult[]} results
 * @returns {string}
 */
export function countPerStore(results) {
  const stores = /** @type {const} */ ([
    ['sqlite', 'SQLite'],
    ['postgres', 'PostgreSQL'],
  ])
  return stores
    .map(([store, name]) => {
      const of = results.filter((result) => (result.store ?? 'sqlite') === store)
      const sum = (/** @type {'count' | 'failures'} */ field) => of.reduce((all, result) => all + result[field], 0)
      return `${name}: ${of.length} rows, ${sum('count').toLocaleString('en')} cases, ${sum('failures')} failures`
    })
    .join('; ')
}
