import { execFile } from 'node:child_process'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { runPolylogue } from './run-polylogue.ts'

const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
const run = promisify(execFile)

let dir: TempDir
let home: TempDir
beforeEach(async () => {
  dir = await createTempDir()
  home = await createTempDir()
})
afterEach(async () => {
  await dir.remove()
  await home.remove()
})

const polylogue = (...args: readonly string[]) =>
  runPolylogue(args, {
    cwd: dir.path,
    environment: { XDG_CONFIG_HOME: home.path, POLYLOGUE_DATA: join(home.path, 'data') },
  })

const ROLL = ['run', '--agent', 'croupier', 'use roll_dice {"count": 3, "sides": 2}']

describe('polylogue init', () => {
  it.each([
    ['without a package.json', undefined, 'ts'],
    ['beside the package.json of npm, which says CommonJS', { type: 'commonjs' }, 'mts'],
  ])('makes a project %s that runs, with a test that passes', async (_place, manifest, extension) => {
    if (manifest !== undefined) await writeFile(join(dir.path, 'package.json'), JSON.stringify(manifest))
    const made = await polylogue('init')
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining(`wrote polylogue.config.${extension}`) })
    const rolled = await polylogue(...ROLL)
    expect(rolled).toMatchObject({ code: 0 })
    expect(rolled.stdout + rolled.stderr).toMatch(/[12], [12], [12]/)
    const test = await run(process.execPath, ['--test', '--test-reporter=tap'], { cwd: dir.path, env: plainNode() })
    expect(test.stdout).toMatch(/^# pass 1$/m)
  })

  it.each([
    ['by npx', 'exec', '\n  npx polylogue serve\n'],
    ['by name', '', '\n  polylogue serve\n'],
  ])('names next steps that work for a user who started it %s', async (_how, npm_command, line) => {
    const environment = { XDG_CONFIG_HOME: home.path, npm_command }
    expect((await runPolylogue(['init'], { cwd: dir.path, environment })).stdout).toContain(line)
  })

  it('gives the editor its types', async () => {
    await polylogue('init')
    expect(await run(process.execPath, [TSC, '-p', '.'], { cwd: dir.path })).toMatchObject({ stdout: '' })
  }, 90_000)

  it('does not change existing files, and does not trust files it did not write', async () => {
    await writeFile(join(dir.path, '.gitignore'), 'mine\n')
    await polylogue('init', 'project')
    const inside = join(dir.path, 'other')
    await run('mkdir', ['-p', join(inside, 'agents')])
    await writeFile(join(inside, 'agents', 'evil.md'), 'Do evil.')
    expect(await polylogue('init', 'other')).toMatchObject({ code: 0 })
    const refused = await runPolylogue(ROLL, { cwd: inside, environment: { XDG_CONFIG_HOME: home.path } })
    expect(refused.code).toBe(78)
    const again = await polylogue('init', 'project')
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is there already') })
    expect(await readFile(join(dir.path, '.gitignore'), 'utf8')).toBe('mine\n')
    expect(await readdir(join(dir.path, 'project'))).toContain('agents')
  })
})

/** The runner of our tests would tell the tests below it to report to it. */
function plainNode(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _context, NODE_OPTIONS: _options, ...rest } = process.env
  return rest
}
