import { PROMISES } from './promises.mjs'

/** @typedef {import('./proof-results.mjs').ProofResult} ProofResult */

/**
 * @typedef {object} ProofRun
 * @property {readonly (ProofResult & { commit?: string | undefined })[]} results each with the commit it ran at
 * @property {readonly string[]} brokenTests
 * @property {readonly string[]} [notRun] proofs without a result
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

Written by \`npm run proof\` on ${run.endedAt.toISOString().slice(0, 10)}, on ${run.machine}. The rows took ${formatDuration(run)};
each names the commit at which it ran last.
${conclude(run)}

## Results

| row | what | on SQLite | on PostgreSQL | failures | seed | time | commit |
|---|---|--:|--:|--:|---|--:|---|
${results.map(toTableRow).join('\n')}

The columns of the stores say how often it was done on each. The tests of [several nodes](docs/contracts/cluster.md) run on PostgreSQL.
To repeat a row: \`npm run proof -- F9 --seed=<its seed>\`. Without a seed, a new one is chosen.
[docs/reliability.md](docs/reliability.md) explains each row, and how \`npm test\` samples it.

## Promises

| | promise | what holds today | shown by |
|---|---|---|---|
${PROMISES.map((promised) => toPromiseRow(promised, results)).join('\n')}

## Limits

- With SQLite, one process owns a data directory, on one machine and one disk. If the disk is lost, so are the sessions: make backups.
- With PostgreSQL, data is as safe as that server: a failover to an asynchronous standby may lose the newest commits.
- The disk must honour flushes. If it reports a write that it did not make, that write can be lost, and we cannot detect it.
- Tools do not run exactly once. They run at most once, or the outcome is reported as unknown. A tool that declares itself
  \`readonly\` or \`idempotent\` may run again after a crash.
- Text that a model was writing when the process was killed may lack its last quarter of a second. The model is asked again.
- Providers may charge for a request that was cut off.
`
}

/**
 * One line for a terminal.
 * @param {ProofResult} result
 * @returns {string}
 */
export function formatRow({ id, what, count, failures, store = 'sqlite', seed, seconds, complaints = [] }) {
  const verdict = failures === 0 ? 'ok' : `${failures} FAILED`
  const row = `== ${id}: ${count} × ${what}: ${verdict} (${store}, seed ${seed}, ${seconds} s)`
  return [row, ...complaints.map((complaint) => `   ${complaint.replaceAll('\n', '\n   ')}`)].join('\n')
}

/**
 * @param {ProofRun} run
 * @returns {string}
 */
function conclude({ results, brokenTests, notRun = [] }) {
  const missing = notRun.map((file) => `\n- \`${file}\``).join('')
  return `${describeFailures({ results, brokenTests })}${missing === '' ? '' : `\n\nNot run yet:\n${missing}`}`
}

/**
 * @param {Pick<ProofRun, 'results' | 'brokenTests'>} run
 * @returns {string}
 */
function describeFailures({ results, brokenTests }) {
  const failed = results.filter(({ failures }) => failures > 0).map(({ id }) => id)
  if (failed.length + brokenTests.length === 0 && results.length > 0) return 'Nothing failed.'
  const broken = brokenTests.map((name) => `\n- ${escape(name)}`).join('')
  const rows = failed.length === 0 ? 'no row' : failed.join(', ')
  return `**Failures**: ${rows} failed.${broken === '' ? '' : ` Failed tests:\n${broken}`}`
}

/**
 * @param {ProofResult & { commit?: string | undefined }} result
 * @returns {string}
 */
function toTableRow({ id, what, count, failures, store = 'sqlite', seed, seconds, commit }) {
  const where = commit?.slice(0, 7) ?? 'uncommitted changes'
  const on = (/** @type {string} */ column) => (column === store ? count.toLocaleString('en') : '–')
  const counts = [on('sqlite'), on('postgres'), failures]
  const cells = [escape(id), escape(what), ...counts, escape(seed), `${seconds} s`, where]
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
