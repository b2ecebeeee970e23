// `npm run proof` runs every fault at full size, one after the other. It skips proofs that passed at this commit, unless
// `--fresh` is given; with `--since=COMMIT`, also those that passed at a commit since then. The last result of each proof
// is kept in `tests/proof/results.json`, and RELIABILITY.md is written from it. Each row names its commit.
// `npm run proof -- F9 F13 --seed=willow` runs only the proofs of these rows, with this seed. `--store=postgres` runs those
// on PostgreSQL. With `--sample`, rows that can do so run at a twentieth of their size; the result is printed and not kept.
import { randomBytes } from 'node:crypto'
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ROOT, bootstrap, endWithSentence } from './lib/bootstrap.mjs'
import { describeMachine } from './lib/describe-machine.mjs'
import { hasHeld, openKeptProofs } from './lib/kept-proofs.mjs'
import { countPerStore, parseProofResults } from './lib/proof-results.mjs'
import { formatRow, writeReliabilityPage } from './lib/reliability-page.mjs'
import { environmentFor, run } from './lib/run.mjs'

/** One per run: another run may be under way. */
const RESULTS = join(ROOT, '.cache', `proof-results.${process.pid}.jsonl`)
const REPORT = join(ROOT, '.cache', `proof-report.${process.pid}.json`)
const PAGE = join(ROOT, 'RELIABILITY.md')
const LOOK_EVERY_MS = 1000

/** @typedef {import('./lib/kept-proofs.mjs').KeptProof} KeptProof */
/** @typedef {import('./lib/proof-results.mjs').ProofResult} ProofResult */

await endWithSentence(async () => {
  const chosen = parseArguments(process.argv.slice(2))
  const { rows, store, since, seed = randomBytes(4).toString('hex'), isFresh, isSample } = chosen
  const all = findProofs([])
  const kept = openKeptProofs(ROOT, since)
  const proofs = isFresh ? {} : kept.read()
  const isChosen = rows.length > 0 || store !== undefined
  const files = isChosen ? findProofs(rows, store) : all.filter((file) => !hasHeld(proofs[file]))
  const node = await bootstrap(ROOT, { withTools: true })
  process.stdout.write(`${files.length} of ${all.length} files, seed ${seed}\n`)

  for (const file of files) {
    proofs[file] = await runProof(node, file, { seed, isSample })
    if (!isSample) kept.keep(file, proofs[file])
  }
  Object.assign(proofs, { ...kept.read(), ...proofs })
  const ran = Object.entries(proofs).filter(([file]) => (isChosen ? files : all).includes(file))
  const results = ran.flatMap(([, proof]) => proof.results)
  const brokenTests = ran.flatMap(([, proof]) => proof.brokenTests)
  if (!isSample) writePage(node, all, kept.readAll())

  const failures = results.reduce((sum, result) => sum + result.failures, 0)
  if (results.length === 0) process.stdout.write('No proof reported a result.\n')
  process.stdout.write(`${countPerStore(results)}\n`)
  process.stdout.write(`${results.length} rows, ${failures} failures, ${brokenTests.length} broken tests\n`)
  process.exitCode = ran.every(([, proof]) => hasHeld(proof)) && results.length > 0 ? 0 : 1
})

/**
 * @param {string} node
 * @param {string} file
 * @param {{ seed: string, isSample: boolean }} options
 * @returns {Promise<KeptProof>}
 */
async function runProof(node, file, options) {
  const startedAt = Date.now()
  const stopTelling = tellRowsAsTheyCome()
  const code = await runVitest(node, file, options)
  stopTelling()
  const report = readText(REPORT)
  const told = parseProofResults(readText(RESULTS))
  const brokenTests = [...findBrokenTests(report)]
  const seconds = (Date.now() - startedAt) / 1000
  const results = told.length > 0 ? told : toRow(file, report, { seed: options.seed, seconds })
  if (code !== 0 && brokenTests.length === 0) brokenTests.push(file)
  rmSync(RESULTS, { force: true })
  rmSync(REPORT, { force: true })
  return { results, brokenTests, seconds }
}

/**
 * The row of a proof that reports none: the comment at its head, and the number of its tests.
 * @param {string} file
 * @param {string} report
 * @param {{ seed: string, seconds: number }} run
 * @returns {readonly ProofResult[]}
 */
function toRow(file, report, { seed, seconds }) {
  const comment = /^(?:\/\/ .*\n)+/.exec(readText(join(ROOT, file)))?.[0] ?? file
  const what = comment
    .replaceAll(/^\/\/ /gm, '')
    .trim()
    .replaceAll('\n', ' ')
    .replace(/\.$/, '')
  const tests = readTests(report).flatMap(({ assertionResults }) => assertionResults)
  if (tests.length === 0) return []
  const failures = tests.filter(({ status }) => status !== 'passed').length
  const row = { id: basename(file, '.proof.test.ts'), what, count: tests.length, failures, seed }
  return [{ ...row, seconds: Math.round(seconds * 10) / 10 }]
}

/**
 * @param {string} node
 * @param {readonly string[]} files all proofs
 * @param {Record<string, KeptProof>} proofs
 */
function writePage(node, files, proofs) {
  const ran = files.filter((file) => proofs[file] !== undefined)
  const done = ran.flatMap((file) => proofs[file] ?? [])
  const page = writeReliabilityPage({
    results: done.flatMap(({ results, commit }) => results.map((result) => ({ ...result, commit }))),
    brokenTests: done.flatMap(({ brokenTests }) => brokenTests),
    notRun: files.filter((file) => !ran.includes(file)),
    machine: describeMachine(node),
    endedAt: new Date(),
    seconds: done.reduce((sum, { seconds }) => sum + seconds, 0),
  })
  writeFileSync(PAGE, page)
  process.stdout.write(`Wrote ${PAGE}\n`)
}

/**
 * @param {readonly string[]} args
 * @returns {{ rows: readonly string[], store?: string, seed?: string, since?: string, isFresh: boolean, isSample: boolean }}
 */
function parseArguments(args) {
  const valueOf = (/** @type {string} */ flag) => args.find((arg) => arg.startsWith(flag))?.slice(flag.length)
  const [seed, since, store] = [valueOf('--seed='), valueOf('--since='), valueOf('--store=')]
  const rows = args.filter((arg) => !arg.startsWith('-'))
  const unknown = args.find(
    (arg) => arg.startsWith('-') && !/^--(?:(?:seed|since)=.|store=(?:sqlite|postgres)$|fresh$|sample$)/.test(arg),
  )
  if (unknown !== undefined)
    throw new Error(
      `unknown argument ${unknown}. Usage: npm run proof -- [F9 …] [--store=postgres] [--seed=WORD] [--since=COMMIT] [--fresh] [--sample]`,
    )
  const [isFresh, isSample] = [args.includes('--fresh'), args.includes('--sample')]
  return { rows, isFresh, isSample, ...(store && { store }), ...(seed && { seed }), ...(since && { since }) }
}

/**
 * Finds the proofs on this store that report one of these ids; all of them if none is named.
 * @param {readonly string[]} rows
 * @param {string} [store]
 * @returns {readonly string[]}
 */
function findProofs(rows, store) {
  const isOnPostgres = (/** @type {string} */ file) => file.startsWith('tests/cluster/')
  const all = ['apps', 'packages', 'tests']
    .flatMap(listProofs)
    .filter((file) => store === undefined || isOnPostgres(file) === (store === 'postgres'))
    .sort()
  if (rows.length === 0) return all
  // Words such as `doors` also occur in other proofs. If a folder has the name of the row, or else a file, only these are meant.
  const ways = [
    (/** @type {string} */ file) => file.split('/'),
    (/** @type {string} */ file) => [basename(file, '.proof.test.ts')],
    (/** @type {string} */ file) => readText(join(ROOT, file)).split(/\W+/),
  ]
  const speaksOf = (/** @type {string} */ file, /** @type {string} */ row) =>
    ways
      .find((namesOf) => all.some((one) => namesOf(one).includes(row)))?.(file)
      .includes(row) === true
  const silent = rows.find((row) => !all.some((file) => speaksOf(file, row)))
  if (silent !== undefined) throw new Error(`no proof covers ${silent}. Proofs:\n${all.join('\n')}`)
  return all.filter((file) => rows.some((row) => speaksOf(file, row)))
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function listProofs(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return []
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return listProofs(path)
    return entry.name.endsWith('.proof.test.ts') ? [path] : []
  })
}

/**
 * @param {string} node
 * @param {string} file
 * @param {{ seed: string, isSample: boolean }} options
 * @returns {Promise<number>}
 */
function runVitest(node, file, { seed, isSample }) {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`]
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.proof.config.ts', ...reporters, file]
  const env = {
    ...environmentFor(node),
    ...{ POLYLOGUE_PROOF_RESULTS: RESULTS, POLYLOGUE_PROOF_SEED: seed, POLYLOGUE_PROOF_SAMPLE: isSample ? '1' : '' },
  }
  return run(node, args, { cwd: ROOT, env, stdio: 'inherit' })
}

/** @returns {() => void} prints the last rows, then stops */
function tellRowsAsTheyCome() {
  let told = 0
  const look = () => {
    const results = parseProofResults(readText(RESULTS))
    for (const result of results.slice(told)) process.stdout.write(`${formatRow(result)}\n`)
    told = results.length
  }
  const timer = setInterval(look, LOOK_EVERY_MS)
  return () => {
    clearInterval(timer)
    look()
  }
}

/**
 * Reads from vitest's report the names of failed tests, and of files that failed before their first test.
 * @param {string} report
 * @returns {readonly string[]}
 */
function findBrokenTests(report) {
  if (report === '') return ['vitest itself: it left no report']
  return readTests(report).flatMap(({ name, status, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName)
    return status === 'failed' && failed.length === 0 ? [name.replace(ROOT, '')] : failed
  })
}

/**
 * @param {string} report
 * @returns {{ name: string, status: string, assertionResults: { fullName: string, status: string }[] }[]} by file
 */
function readTests(report) {
  return report === '' ? [] : JSON.parse(report).testResults
}

/**
 * @param {string} path
 * @returns {string}
 */
function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
