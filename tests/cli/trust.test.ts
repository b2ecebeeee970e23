import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { runPolylogue, startAtTerminal } from './run-polylogue.ts'

let dir: TempDir
let home: TempDir
beforeEach(async () => {
  dir = await createTempDir()
  home = await createTempDir()
  await writeFile(join(dir.path, 'polylogue.config.ts'), CONFIG)
})
afterEach(async () => {
  await dir.remove()
  await home.remove()
})

// It says that it ran.
const CONFIG = "process.stderr.write('PLANTED\\n')\nexport default { defaultAgent: 'scripted' }\n"
const RUN = ['run', '--data', 'data', '--scripted', 'say Hello']
const options = () => ({ cwd: dir.path, environment: { XDG_CONFIG_HOME: home.path } })

it('a configuration in the current folder runs only after it is trusted', async () => {
  for (const args of [RUN, ['serve', '--port', '0'], ['doctor'], ['keys', 'list', '--data', 'data']]) {
    const { code, stdout, stderr } = await runPolylogue(args, options())
    expect([args[0], code, stdout]).toEqual([args[0], 78, ''])
    expect(stderr).toMatch(
      /^polylogue: .*polylogue\.config\.ts is a configuration that you have not trusted\. .*polylogue trust\n$/,
    )
  }
})

it('runs once it is trusted, or named, and no longer after it has changed', async () => {
  expect((await runPolylogue([...RUN, '--config', 'polylogue.config.ts'], options())).stdout).toBe('Hello\n')
  const trusted = await runPolylogue(['trust'], options())
  expect(trusted).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Trusted .*polylogue\.config\.ts\n$/) })
  const ran = await runPolylogue(RUN, options())
  expect(ran).toMatchObject({ code: 0, stdout: 'Hello\n', stderr: expect.stringContaining('PLANTED') })
  await writeFile(join(dir.path, 'polylogue.config.ts'), `${CONFIG}// changed\n`)
  expect((await runPolylogue(RUN, options())).code).toBe(78)
})

it('asks at a terminal, names the file, and remembers a yes', async () => {
  const refused = startAtTerminal(RUN, options())
  await refused.says('Trust it? [y/n]')
  expect(refused.output().stdout).toContain(join(dir.path, 'polylogue.config.ts'))
  refused.process.stdin.write('n\n')
  expect((await refused.finished).stdout).not.toContain('PLANTED')
  const asked = startAtTerminal(RUN, options())
  await asked.says('Trust it? [y/n]')
  asked.process.stdin.write('y\n')
  expect((await asked.finished).stdout).toContain('Hello')
  expect((await runPolylogue(RUN, options())).code).toBe(0)
})

it('asks again when the configuration has changed while it asked', async () => {
  const asked = startAtTerminal(RUN, options())
  await asked.says('Trust it? [y/n]')
  await writeFile(join(dir.path, 'swapped.ts'), '')
  await writeFile(join(dir.path, 'polylogue.config.ts'), `import './swapped.ts'\n${CONFIG}`)
  asked.process.stdin.write('y\n')
  // The second question names it.
  await asked.says('swapped.ts')
  asked.process.kill()
  expect((await asked.finished).stdout).not.toContain('PLANTED')
})

it('a folder without a configuration cannot be trusted', async () => {
  expect(await runPolylogue(['trust', home.path], options())).toMatchObject({ code: 1, stdout: '' })
})

it('a folder with instructions only is trusted by their content', async () => {
  await writeFile(join(home.path, 'AGENTS.md'), 'Use tabs.')
  const { code, stderr } = await runPolylogue(['trust', home.path], options())
  expect([code, stderr]).toEqual([0, `Trusted ${join(home.path, 'AGENTS.md')}\n`])
})

it('a data directory that came with the folder is not used until it is named', async () => {
  await rm(join(dir.path, 'polylogue.config.ts'))
  const planted = join(dir.path, '.polylogue')
  const add = ['permissions', 'add', 'allow', 'Bash']
  expect((await runPolylogue([...add, '--data', join(home.path, 'made')], options())).code).toBe(0)
  // As Git would bring it: without the files that must be private.
  await cp(join(home.path, 'made'), planted, { recursive: true })
  for (const name of ['local.key', 'secret.key']) await rm(join(planted, name), { force: true })
  const verbs = [
    ['permissions', 'list'],
    ['run', '--scripted', 'say Hello'],
    ['serve', '--port', '0'],
    ['acp'],
    ['doctor'],
  ]
  for (const args of verbs) {
    const { code, stdout, stderr } = await runPolylogue(args, options())
    expect([args[0], code, stdout]).toEqual([args[0], 78, ''])
    expect(stderr).toContain(`The data directory ${planted} was not made here`)
  }
  const list = ['permissions', 'list']
  expect((await runPolylogue([...list, '--data', planted], options())).stdout).toContain('Bash')
  expect((await runPolylogue(list, options())).stdout).toContain('Bash')
})

it('a server asks at a terminal whether a data directory that was not made there is yours, once', async () => {
  await rm(join(dir.path, 'polylogue.config.ts'))
  await mkdir(join(dir.path, '.polylogue', 'workspaces'), { recursive: true, mode: 0o700 })
  const serve = ['serve', '--port', '0']
  const refused = startAtTerminal(serve, options())
  await refused.says('Is it yours? [y/n]')
  refused.process.stdin.write('n\n')
  expect((await refused.finished).code).toBe(78)
  for (const question of ['Is it yours? [y/n]', undefined]) {
    const asked = startAtTerminal(serve, options())
    if (question !== undefined) {
      await asked.says(question)
      asked.process.stdin.write('yes\n')
    }
    await asked.says('Polylogue is ready')
    asked.process.kill('SIGTERM')
    expect((await asked.finished).stdout.includes('Is it yours?')).toBe(question !== undefined)
  }
})
