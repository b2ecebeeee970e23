import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInvocation } from '@polylogue/testkit'
import { createBashTool } from '@polylogue/tools'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let folder: string
let main: string
let linked: string
const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], { cwd, encoding: 'utf8' })
beforeEach(async () => {
  folder = await realpath(await mkdtemp('/var/tmp/polylogue-worktree-'))
  main = join(folder, 'main')
  linked = join(folder, 'linked')
  await mkdir(main)
  git(main, 'init', '-q')
  await writeFile(join(main, 'a.txt'), 'one\n')
  git(main, 'add', '.')
  git(main, 'commit', '-qm', 'first')
  git(main, 'worktree', 'add', '-qb', 'topic', linked)
  await writeFile(join(linked, 'a.txt'), 'two\n')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function toolFor(sandbox: 'required' | 'none') {
  const stateDir = join(folder, 'state')
  return createBashTool({ stateDir, outputDir: join(stateDir, 'outputs'), sandbox })
}

async function isUnasked(command: string, cwd: string): Promise<boolean> {
  const inspection = await toolFor('required').inspect?.({ command }, { cwd, roots: [cwd] })
  return inspection?.facts.type === 'shell' && inspection.facts.risk === 'safe'
}

describe.each(['required', 'none'] as const)('in a linked worktree, sandbox %s', (sandbox) => {
  const run = async (command: string): Promise<string> => {
    const tool = toolFor(sandbox)
    const options = { workspace: { cwd: linked, roots: [linked] }, granted: { isHarmless: true as const } }
    return String((await tool.run(createInvocation(tool, { command }, options))).content)
  }

  it('reading commands run unasked and say what Git says', async () => {
    for (const command of ['git status --short', 'git log --oneline', 'git diff', 'git rev-parse --abbrev-ref HEAD']) {
      expect(await isUnasked(command, linked)).toBe(true)
      expect(await run(command)).toBe(git(linked, ...command.split(' ').slice(1)).trimEnd())
    }
  })

  it('runs no program that the repository names', async () => {
    const trace = join(linked, 'ran')
    for (const key of ['core.fsmonitor', 'core.pager', 'diff.external', 'core.sshCommand']) {
      git(main, 'config', key, `touch ${trace}`)
    }
    for (const command of ['git status', 'git diff', 'git log -p']) await run(command)
    expect(existsSync(trace)).toBe(false)
  })
})

it('a file that leads to a repository which does not know the worktree is not followed', async () => {
  const secret = join(folder, 'secret')
  await mkdir(secret)
  git(secret, 'init', '-q')
  await writeFile(join(secret, 'key'), 'secret')
  git(secret, 'add', '.')
  git(secret, 'commit', '-qm', 'secret')
  git(secret, 'worktree', 'add', '-q', join(folder, 'other'))
  const forged = join(folder, 'forged')
  await mkdir(forged)
  for (const target of [join(secret, '.git'), join(secret, '.git/worktrees/other'), '../linked/.git', '../none']) {
    await writeFile(join(forged, '.git'), `gitdir: ${target}\n`)
    expect(await isUnasked('git log -p', forged)).toBe(false)
  }
})
