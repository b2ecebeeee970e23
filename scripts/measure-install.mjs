// `node scripts/measure-install.mjs`: packs Polylogue, installs it where there is no checkout, and prints what a new user waits for
// and what it takes on disk. With `--clone`, also a fresh clone with an empty npm cache: `npm start` and what `npm test` adds.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT, bootstrap, endWithSentence } from './lib/bootstrap.mjs'
import { sizeOf, timeToChat } from './lib/measure-install.mjs'
import { environmentFor, run } from './lib/run.mjs'

const DEMO = { agent: { name: 'assistant' }, say: 'hello' }

await endWithSentence(async () => {
  const node = await bootstrap(ROOT, { withTools: true })
  const work = mkdtempSync(join(tmpdir(), 'polylogue-measure-'))
  const env = { ...environmentFor(node), POLYLOGUE_MODEL: 'demo', XDG_CONFIG_HOME: join(work, 'settings') }
  try {
    await mustRun(node, [join(ROOT, 'scripts', 'pack.mjs')], { cwd: ROOT, env })
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const tarball = join(ROOT, 'dist', `polylogue-${version}.tgz`)

    const folder = makeFolder(work, 'empty')
    const installMs = await time(() => install(tarball, { cwd: folder, env }))
    const first = await timeToChat('npx', ['polylogue'], { cwd: folder, env, ...DEMO })
    print('npm install of the package', seconds(installMs))
    print('installed for production', megabytes(sizeOf(join(folder, 'node_modules'))))
    print('npx polylogue to the first answer', seconds(first.answeredMs))
    print('both together (bound: 20 s)', seconds(installMs + first.answeredMs))

    const common = makeFolder(work, 'common')
    writeFileSync(join(common, 'package.json'), JSON.stringify({ name: 'common', private: true, type: 'commonjs' }))
    await install(tarball, { cwd: common, env })
    await mustRun('npx', ['polylogue', 'init'], { cwd: common, env })
    const own = await timeToChat('npx', ['polylogue'], { cwd: common, env, agent: { name: 'croupier' }, say: 'hello' })
    print('the same in a CommonJS folder, after polylogue init', seconds(own.answeredMs))

    const bin = join(folder, 'node_modules', 'polylogue', 'apps', 'cli', 'polylogue.cjs')
    const main = join(ROOT, 'apps', 'cli', 'src', 'main.ts')
    const cached = { ...env, NODE_COMPILE_CACHE: join(work, 'compile') }
    print('start of the installed package', seconds(await medianStart([bin], { node, cwd: folder, env })))
    print('start from the checkout', seconds(await medianStart([main], { node, cwd: folder, env: cached })))
    if (process.argv.includes('--clone')) await measureClone(work, { node, env })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
})

/**
 * @param {string} work
 * @param {{ readonly node: string, readonly env: NodeJS.ProcessEnv }} options
 */
async function measureClone(work, { node, env: inherited }) {
  const clone = join(work, 'clone')
  const env = { ...inherited, npm_config_cache: join(work, 'npm-cache') }
  execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${ROOT}`, clone])
  const bootstrapMs = await time(() => mustRun(node, ['scripts/bootstrap.mjs'], { cwd: clone, env }))
  const { answeredMs } = await timeToChat(join(clone, 'polylogue'), [], { cwd: clone, env, ...DEMO })
  print('npm start in a fresh clone, empty npm cache: install and build', seconds(bootstrapMs))
  print('then to the first answer', seconds(answeredMs))
  print('installed by npm start', megabytes(sizeOf(join(clone, 'node_modules'))))
  await mustRun(node, ['scripts/check.mjs', 'format', '--check', 'package.json'], { cwd: clone, env })
  print('installed with the test tools', megabytes(sizeOf(join(clone, 'node_modules'))))
}

/**
 * @param {readonly string[]} program
 * @param {{ readonly node: string, readonly cwd: string, readonly env: NodeJS.ProcessEnv }} options
 * @returns {Promise<number>} the median of five, after one that fills the compile cache
 */
async function medianStart(program, { node, ...options }) {
  const taken = []
  for (let round = 0; round <= 5; round++) {
    const { readyMs } = await timeToChat(node, program, { ...options, ...DEMO })
    if (round > 0) taken.push(readyMs)
  }
  return taken.sort((left, right) => left - right)[2] ?? NaN
}

/**
 * @param {string} tarball
 * @param {{ readonly cwd: string, readonly env: NodeJS.ProcessEnv }} options
 */
function install(tarball, options) {
  return mustRun('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error', tarball], options)
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ readonly cwd: string, readonly env: NodeJS.ProcessEnv }} options
 */
async function mustRun(command, args, options) {
  const code = await run(command, args, { ...options, stdio: ['ignore', 'ignore', 'inherit'] })
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed with ${code}`)
}

/**
 * @param {string} work
 * @param {string} name
 */
function makeFolder(work, name) {
  mkdirSync(join(work, name))
  return join(work, name)
}

/** @param {() => Promise<unknown>} work */
async function time(work) {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/**
 * @param {string} what
 * @param {string} figure
 */
function print(what, figure) {
  process.stdout.write(`${what.padEnd(66)} ${figure}\n`)
}

/** @param {number} ms */
function seconds(ms) {
  return `${(ms / 1000).toFixed(2)} s`
}

/** @param {number} bytes */
function megabytes(bytes) {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}
