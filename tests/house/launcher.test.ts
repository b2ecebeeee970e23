import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'

const LAUNCHER = fileURLToPath(new URL('../../polylogue', import.meta.url))
const MAIN = `
process.on('SIGTERM', () => process.exit(7))
const report: object = { pid: process.pid, cwd: process.cwd(), args: process.argv.slice(2), cache: process.env['NODE_COMPILE_CACHE'] }
process.stdout.write(JSON.stringify(report))
if (process.argv.includes('wait')) setInterval(() => {}, 1000)
`

let checkout: string
let elsewhere: string
beforeEach(() => {
  checkout = realpathSync(mkdtempSync(join(tmpdir(), 'polylogue checkout ')))
  elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'polylogue-elsewhere-')))
  for (const folder of ['apps/cli/src', 'node_modules', '.cache', 'scripts']) {
    mkdirSync(join(checkout, folder), { recursive: true })
  }
  cpSync(LAUNCHER, join(checkout, 'polylogue'))
  writeFileSync(join(checkout, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(checkout, 'package-lock.json'), '{}')
  writeFileSync(join(checkout, 'apps/cli/src/main.ts'), MAIN)
  writeFileSync(join(checkout, 'node_modules/.polylogue-lock'), '')
  writeFileSync(join(checkout, '.cache/node'), `${process.execPath}\n`)
})
afterEach(() => {
  rmSync(checkout, { recursive: true, force: true })
  rmSync(elsewhere, { recursive: true, force: true })
})

it('runs the command in the pid that the caller started, in the directory and with the arguments of the caller', async () => {
  const { child, stdout } = await launch(join(checkout, 'polylogue'), ['run', 'two words', ''])
  expect(JSON.parse(stdout)).toEqual({
    pid: child.pid,
    cwd: elsewhere,
    args: ['run', 'two words', ''],
    cache: join(checkout, '.cache/compile'),
  })
})

it('finds its checkout through a chain of symbolic links', async () => {
  mkdirSync(join(elsewhere, 'bin'))
  symlinkSync(join(checkout, 'polylogue'), join(elsewhere, 'bin', 'absolute'))
  symlinkSync('bin/absolute', join(elsewhere, 'relative'))
  const { child, stdout } = await launch('./relative', [])
  expect(JSON.parse(stdout)).toMatchObject({ pid: child.pid, cwd: elsewhere, cache: join(checkout, '.cache/compile') })
})

it('is found on PATH', async () => {
  const { stdout } = await launch('polylogue', [], { PATH: `${checkout}:${process.env['PATH']}` })
  expect(JSON.parse(stdout)).toMatchObject({ cwd: elsewhere, cache: join(checkout, '.cache/compile') })
})

it('leaves a compile cache that the caller chose alone', async () => {
  const { stdout } = await launch(join(checkout, 'polylogue'), [], { NODE_COMPILE_CACHE: join(elsewhere, 'mine') })
  expect(JSON.parse(stdout)).toMatchObject({ cache: join(elsewhere, 'mine') })
})

it('ends with the exit code that the command gives a signal', async () => {
  const child = start(join(checkout, 'polylogue'), ['wait'])
  await once(child.stdout!, 'data')
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([7, null])
})

it.each(['.cache/node', 'node_modules/.polylogue-lock'])(
  'bootstraps first where %s is missing, with stdout kept clean',
  async (path) => {
    rmSync(join(checkout, path))
    writeBootstrap(`
    import { writeFileSync } from 'node:fs'
    console.log('installing')
    writeFileSync(new URL('../.cache/node', import.meta.url), process.execPath + '\\n')
  `)
    const { child, stdout, stderr } = await launch(join(checkout, 'polylogue'), [])
    expect(JSON.parse(stdout)).toMatchObject({ pid: child.pid })
    expect(stderr).toBe('installing\n')
  },
)

it('stops with the words of a bootstrap that failed', async () => {
  rmSync(join(checkout, '.cache/node'))
  writeBootstrap("console.error('no network'); process.exitCode = 1")
  const { code, stdout, stderr } = await launch(join(checkout, 'polylogue'), [])
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: 'no network\n' })
})

function writeBootstrap(source: string): void {
  writeFileSync(join(checkout, 'scripts/bootstrap.mjs'), source)
}

function start(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`
  const { NODE_COMPILE_CACHE: _, ...inherited } = process.env
  return spawn(command, args, { cwd: elsewhere, env: { ...inherited, PATH, ...env } })
}

async function launch(command: string, args: readonly string[], env?: NodeJS.ProcessEnv) {
  const child = start(command, args, env)
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { child, code, stdout, stderr }
}
