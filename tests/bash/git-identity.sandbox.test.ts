import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInvocation } from '@polylogue/testkit'
import { createBashTool } from '@polylogue/tools'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

let folder: string
let work: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp('/var/tmp/polylogue-identity-'))
  work = join(folder, 'work')
  await mkdir(join(folder, 'home'))
  await mkdir(work)
  execFileSync('git', ['init', '-q', work])
  vi.stubEnv('HOME', join(folder, 'home'))
  vi.stubEnv('XDG_CONFIG_HOME', join(folder, 'none'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

async function run(command: string, userId: string): Promise<string> {
  const stateDir = join(folder, 'state')
  const tool = createBashTool({ stateDir, outputDir: join(stateDir, 'outputs'), sandbox: 'required', ownUser: 'local' })
  const workspace = { cwd: work, roots: [work] }
  const granted = { guarded: [join(work, '.git')] }
  return String((await tool.run(createInvocation(tool, { command }, { workspace, userId, granted }))).content)
}

const CONFIG = `[user]\n\tname = Ada "the" Countess\n\temail = ada@example.org\n\tsigningkey = KEY
[commit]\n\tgpgsign = true\n[alias]\n\tstatus = !touch ran\n[core]\n\tpager = touch ran\n`
const COMMIT = 'git commit --quiet --allow-empty -m x && git log -1 --format="%an <%ae>"'

it('a commit in the sandbox has the name and address of the person who runs the server, and no other setting', async () => {
  await writeFile(join(folder, 'home', '.gitconfig'), CONFIG)
  expect(await run(COMMIT, 'local')).toBe('Ada the Countess <ada@example.org>')
  expect(await run('git config --global --list', 'local')).toBe(
    'user.name=Ada the Countess\nuser.email=ada@example.org',
  )
})

it("the repository's own name comes first", async () => {
  await writeFile(join(folder, 'home', '.gitconfig'), CONFIG)
  execFileSync('git', ['-C', work, 'config', 'user.name', 'Grace'])
  expect(await run(COMMIT, 'local')).toBe('Grace <ada@example.org>')
})

it('other users, and a machine that knows no name, have none', async () => {
  expect(await run('git config --global --list; echo "$GIT_CONFIG_GLOBAL"', 'local')).not.toContain('user.')
  await writeFile(join(folder, 'home', '.gitconfig'), CONFIG)
  expect(await run('git config --global --list; echo "$GIT_CONFIG_GLOBAL"', 'bob')).not.toContain('Ada')
})
