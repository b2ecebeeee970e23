// `npm test` checks everything: format, lint, types and every test. The last line is `N passed, N failed`.
// `npm test -- --quick` runs the tests that start no process. `npm test -- packages/engine -t inbox` passes its
// arguments to vitest. Files that fail in a whole run run once more, alone: a failure that only a busy machine shows is
// named at the end, every other one stands.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, bootstrap, endWithSentence } from './lib/bootstrap.mjs'
import { FORMAT, LINT, TYPECHECK, runCheck, runQuietly } from './lib/checks.mjs'
import { countTests, failedFiles, mergeReports } from './lib/count-tests.mjs'

/** One per run: another run may be under way in this checkout. */
const REPORT = join(ROOT, '.cache', `test-report.${process.pid}.json`)
/** More failed files than this are no matter of load. */
const MOST_FILES_AGAIN = 8
const REPORTERS = ['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`]

await endWithSentence(async () => {
  const node = await bootstrap(ROOT, { withTools: true })
  const args = process.argv.slice(2)
  const isWholeRun = args.length === 0
  const chosen = isWholeRun ? ['--allowOnly=false'] : args.map((arg) => (arg === '--quick' ? '--project=pure' : arg))
  const tests = { name: 'tests', script: 'node_modules/vitest/vitest.mjs', runs: [['run', ...REPORTERS, ...chosen]] }

  // The checks run beside the tests, which leave them time: many wait for servers.
  const [tested, checked] = await Promise.allSettled([
    runCheck(node, tests),
    isWholeRun ? checkSources(node) : Promise.resolve([]),
  ])
  const first = takeReport()
  if (tested.status === 'rejected') throw tested.reason
  if (checked.status === 'rejected') throw checked.reason
  const isAgain = isWholeRun && failedFiles(first).length <= MOST_FILES_AGAIN
  const { report, areInOrder, onlyAlone } =
    !tested.value && isAgain
      ? await runAlone(node, tests, first)
      : { report: first, areInOrder: tested.value, onlyAlone: [] }
  const { passed, failed } = countTests(report)

  for (const { output } of checked.value) process.stdout.write(output)
  const complaints = checked.value.filter(({ isInOrder }) => !isInOrder).map(({ name }) => name)
  if (!areInOrder) complaints.push('tests')
  if (passed + failed === 0) complaints.push('no test ran')

  if (onlyAlone.length > 0)
    process.stdout.write(
      `\nFailed beside other tests, passed alone:\n${onlyAlone.map((name) => `  ${name}\n`).join('')}`,
    )
  if (complaints.length > 0) process.stdout.write(`\nFailed: ${complaints.join(', ')}\n`)
  process.stdout.write(`${passed} passed, ${failed} failed\n`)
  process.exitCode = complaints.length + failed > 0 ? 1 : 0
})

/**
 * Runs the failed files of a whole run once more, one after the other.
 * @param {string} node
 * @param {import('./lib/checks.mjs').Check} tests
 * @param {import('./lib/count-tests.mjs').TestReport | undefined} first
 */
async function runAlone(node, tests, first) {
  const files = failedFiles(first)
  // Without a failed file, something outside of the tests failed, such as an unhandled rejection.
  if (files.length === 0) return { report: first, areInOrder: false, onlyAlone: [] }
  const areInOrder = await runCheck(node, {
    ...tests,
    name: `${files.length} files once more, alone`,
    runs: [['run', ...REPORTERS, '--maxWorkers=1', '--allowOnly=false', ...files]],
  })
  return { areInOrder, ...mergeReports(first, takeReport()) }
}

/** @param {string} node */
async function checkSources(node) {
  const results = []
  for (const check of [FORMAT, LINT, TYPECHECK]) results.push({ name: check.name, ...(await runQuietly(node, check)) })
  return results
}

/** @returns {import('./lib/count-tests.mjs').TestReport | undefined} */
function takeReport() {
  try {
    return JSON.parse(readFileSync(REPORT, 'utf8'))
  } catch {
    return undefined
  } finally {
    rmSync(REPORT, { force: true })
  }
}
