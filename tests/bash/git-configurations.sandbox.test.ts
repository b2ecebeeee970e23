import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { createInvocation } from '@polylogue/testkit'
import { createBashTool } from '@polylogue/tools'
import { join } from 'node:path'
import { GIT_ATTACKS } from './git-configurations.ts'
import { createGitWorld } from './git-world.ts'
import { READING_COMMANDS } from './reading-commands.ts'
import { readWithGit } from './read-with-git.ts'

/** Every fifth kind, once. The proof reads all. */
const KINDS = [...new Map(GIT_ATTACKS.toReversed().map((attack) => [attack.name.split(', ')[0], attack])).values()]
const SAMPLE = KINDS.filter((_, index) => index % 5 === 0)

it('no program that a repository names is run by a reading command', async () => {
  expect(GIT_ATTACKS.length).toBeGreaterThanOrEqual(200)
  const result = await readWithGit(SAMPLE, { presets: ['plan', 'workspace-write'], commands: 'worst' })
  expect(result.executions).toEqual([])
  expect(result.notWorking).toEqual([])
  expect(result.unasked).toBe(SAMPLE.length * 2)
}, 120_000)

/** Of a line that is not committed, blame says the time. */
const withoutTime = (text: string): string => text.replaceAll(/\d\d:\d\d:\d\d/g, '')

it.each(['required', 'none'] as const)(
  'reading commands say what Git says, sandbox %s',
  async (sandbox) => {
    const world = createGitWorld()
    const { path } = world.create({ name: 'nothing', plant: () => {} })
    const state = join(path, '..', 'state')
    const tool = createBashTool({ stateDir: state, outputDir: join(state, 'outputs'), sandbox })
    try {
      for (const command of [
        ...READING_COMMANDS,
        'git rev-parse HEAD',
        'git ls-tree -r HEAD',
        'git config --get core.bare',
      ]) {
        const plain = execFileSync('bash', ['-c', command], { cwd: path, encoding: 'utf8' }).trimEnd()
        const invocation = createInvocation(
          tool,
          { command },
          { workspace: { cwd: path, roots: [path] }, granted: { isHarmless: true } },
        )
        const { content } = await tool.run(invocation)
        expect([command, withoutTime(String(content))]).toEqual([command, withoutTime(plain) || '(no output)'])
      }
    } finally {
      world.remove()
    }
  },
  120_000,
)
