import { PROMISES } from './promises.mjs'

/** @typedef {import('./proof-results.mjs').ProofResult} ProofResult */

/**
 * @typedef {object} ProofRun
 * @property {readonly (ProofResult & { commit?: string | undefined })[]} results each with the commit that it was told at
 * @property {readonly string[]} brokenTests
 * @property {string} machine
 * @property {Date} endedAt
 * @property {number} seconds all proofs together
 */

/**
 * @param {ProofRun} run
 * @returns {string}
 */
export function writeReliabilityPage(run) {
  const results = [...run.results].sort((one, other) => compareIds(one.id, other.id))
  return `# Reliability

Written by \`npm run proof\` on ${run.endedAt.toISOString().slice(0, 10)}, in ${formatDuration(run)}, on ${run.machine}.
${conclude(run)}

## What was done

| row | what | count | failures | seed | time | commit |
|---|---|--:|--:|---|--:|---|
${results.map(toTableRow).join('\n')}

To repeat one row as it was: \`npm run proof -- F9 --seed=<its seed>\`. Without a seed a new one is chosen. What each row does,
and how the same is sampled in \`npm test\`, stands in [docs/reliability.md](docs/reliability.md).

## What is promised

| | promise | how far it goes today | shown by |
|---|---|---|---|
${PROMISES.map((promised) => toPromiseRow(promised, results)).join('\n')}

## What is not

- One process owns a data directory, on one machine and one disk. When the disk is gone, so are the sessions: make backups.
- The disk has to honour a flush. One that says "written" and forgets loses what it forgot; we cannot tell.
- A tool is not run exactly once. It is run at most once, or the outcome is reported as unknown; a tool that declares itself
  \`readonly\` or \`idempotent\` may run again after a crash.
- Text that a model was writing when the process was killed may lack its last quarter of a second. The step is asked again.
- What a provider does with a request that was cut off, and whether it is paid, is the provider's affair.
`
}

/**
 * One line for a terminal.
 * @param {ProofResult} result
 * @returns {string}
 */
export function formatRow({ id, what, count, failures, seed, seconds, complaints = [] }) {
  const verdict = failures === 0 ? 'ok' : `${failures} FAILED`
  const row = `== ${id}: ${count} × ${what}: ${verdict} (seed ${seed}, ${seconds} s)`
  return [row, ...complaints.map((complaint) => `   ${complaint.replaceAll('\n', '\n   ')}`)].join('\n')
}

/**
 * @param {ProofRun} run
 * @returns {string}
 */
function conclude({ results, brokenTests }) {
  const failed = results.filter(({ failures }) => failures > 0).map(({ id }) => id)
  if (failed.length + brokenTests.length === 0 && results.length > 0) return 'Nothing failed.'
  const broken = brokenTests.map((name) => `\n- ${escape(name)}`).join('')
  const rows = failed.length === 0 ? 'no row' : failed.join(', ')
  return `**Not everything held**: ${rows} had failures.${broken === '' ? '' : ` Tests that failed:\n${broken}`}`
}

/**
 * @param {ProofResult & { commit?: string | undefined }} result
 * @returns {string}
 */
function toTableRow({ id, what, count, failures, seed, seconds, commit }) {
  const where = commit?.slice(0, 7) ?? 'none: changed sources'
  const cells = [escape(id), escape(what), count.toLocaleString('en'), failures, escape(seed), `${seconds} s`, where]
  return `| ${cells.join(' | ')} |`
}

/**
 * @param {import('./promises.mjs').Promised} promised
 * @param {readonly ProofResult[]} results
 * @returns {string}
 */
function toPromiseRow({ id, promise, today, shownBy }, results) {
  const shown = shownBy.filter((row) => results.some((result) => result.id.split(' ', 1)[0] === row))
  const missing = shownBy.filter((row) => !shown.includes(row))
  const words = [
    shown.join(', '),
    missing.length === 0 ? '' : `not in this run: ${missing.join(', ')}`,
    shownBy.length === 0 ? '–' : '',
  ]
  return `| ${id} | ${escape(promise)} | ${escape(today)} | ${words.filter((word) => word !== '').join('; ')} |`
}

/**
 * @param {Pick<ProofRun, 'seconds'>} run
 * @returns {string}
 */
function formatDuration({ seconds }) {
  const minutes = Math.round(seconds / 60)
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}

/**
 * F9 before F10, letters before what is a word.
 * @param {string} one
 * @param {string} other
 * @returns {number}
 */
function compareIds(one, other) {
  return one.localeCompare(other, 'en', { numeric: true })
}

/**
 * @param {string} text
 * @returns {string}
 */
function escape(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
