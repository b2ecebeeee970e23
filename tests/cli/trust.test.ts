import { writeFile } from 'node:fs/promises'
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

it('a folder without a configuration cannot be trusted', async () => {
  expect(await runPolylogue(['trust', home.path], options())).toMatchObject({ code: 1, stdout: '' })
})

it('a folder with instructions only is trusted by their content', async () => {
  await writeFile(join(home.path, 'AGENTS.md'), 'Use tabs.')
  const { code, stderr } = await runPolylogue(['trust', home.path], options())
  expect([code, stderr]).toEqual([0, `Trusted ${join(home.path, 'AGENTS.md')}\n`])
})
