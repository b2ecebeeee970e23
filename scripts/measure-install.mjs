// `node scripts/measure-install.mjs`: packs Polylogue, installs it where there is no checkout, and prints what a new user waits for
// and what it takes on disk. With `--clone`, also a fresh clone with an empty npm cache: `npm start` and what `npm test` adds.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT, bootstrap, endWithSentence } from './lib/bootstrap.mjs'
import { countInstalled, sizeOf, timeToChat } from './lib/measure-install.mjs'
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

    const floor = await measure(() => install('ms', { cwd: makeFolder(work, 'floor'), env }))
    const folder = makeFolder(work, 'empty')
    const installed = await measure(() => install(tarball, { cwd: folder, env }))
    const first = await timeToChat('npx', ['polylogue'], { cwd: folder, env, ...DEMO })
    const { packages, files, bytes } = countInstalled(join(folder, 'node_modules'))
    print('npm install of the smallest package, for comparison', `${seconds(floor.ms)}, CPU ${seconds(floor.cpuMs)}`)
    print('npm install of the package', `${seconds(installed.ms)}, CPU ${seconds(installed.cpuMs)}`)
    print('installed for production (bound: 120 MB)', `${megabytes(bytes)}, ${packages} packages, ${files} files`)
    print('npx polylogue to the first piece of an answer', seconds(first.firstMs))
    print('both together (bound: 20 s)', seconds(installed.ms + first.firstMs))

    const common = makeFolder(work, 'common')
    writeFileSync(join(common, 'package.json'), JSON.stringify({ name: 'common', private: true, type: 'commonjs' }))
    const commonMs = (await measure(() => install(tarball, { cwd: common, env }))).ms
    await mustRun('npx', ['polylogue', 'init'], { cwd: common, env })
    const own = await timeToChat('npx', ['polylogue'], { cwd: common, env, agent: { name: 'croupier' }, say: 'hello' })
    print('the same in a CommonJS folder, with the agents of polylogue init', seconds(commonMs + own.firstMs))

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
  const { ms } = await measure(() => mustRun(node, ['scripts/bootstrap.mjs'], { cwd: clone, env }))
  const { firstMs } = await timeToChat(join(clone, 'polylogue'), [], { cwd: clone, env, ...DEMO })
  print('npm start in a fresh clone, empty npm cache: install and build', seconds(ms))
  print('then to the first piece of an answer', seconds(firstMs))
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

/**
 * The time, and the processor time of the programs that `work` runs to their end. On a busy machine, only the latter can be compared.
 * @param {() => Promise<unknown>} work
 */
async function measure(work) {
  const [startedAt, cpuAt] = [performance.now(), childCpuMs()]
  await work()
  return { ms: performance.now() - startedAt, cpuMs: childCpuMs() - cpuAt }
}

/** Linux has it in clock ticks of 10 ms, behind the program's name; elsewhere it is not known. */
function childCpuMs() {
  if (process.platform !== 'linux') return NaN
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[13]) + Number(fields[14])) * 10
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
