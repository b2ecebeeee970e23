// `npm test`: everything that must hold, in one command. The last line is `N passed, N failed`.
// With arguments (`npm test -- packages/engine -t inbox`) only vitest runs, with those arguments.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, bootstrap, endWithSentence } from './lib/bootstrap.mjs'
import { FORMAT, LINT, TYPECHECK, runCheck } from './lib/checks.mjs'
import { countTests } from './lib/count-tests.mjs'

const REPORT = join(ROOT, '.cache', 'test-report.json')
const REPORTERS = ['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`]

await endWithSentence(async () => {
  const node = await bootstrap()
  const args = process.argv.slice(2)
  const isWholeRun = args.length === 0
  const only = isWholeRun ? ['--allowOnly=false'] : args
  const tests = { name: 'tests', script: 'node_modules/vitest/vitest.mjs', runs: [['run', ...REPORTERS, ...only]] }

  rmSync(REPORT, { force: true })
  const complaints = []
  for (const check of isWholeRun ? [FORMAT, LINT, TYPECHECK, tests] : [tests]) {
    if (!(await runCheck(node, check))) complaints.push(check.name)
  }
  const { passed, failed } = countTests(readReport())
  if (passed + failed === 0) complaints.push('no test ran')

  if (complaints.length > 0) process.stdout.write(`Not in order: ${complaints.join(', ')}\n`)
  process.stdout.write(`${passed} passed, ${failed} failed\n`)
  process.exitCode = complaints.length + failed > 0 ? 1 : 0
})

/** @returns {import('./lib/count-tests.mjs').TestReport | undefined} */
function readReport() {
  try {
    return JSON.parse(readFileSync(REPORT, 'utf8'))
  } catch {
    return undefined
  }
}
