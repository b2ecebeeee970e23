import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInvocation } from '@polylogue/testkit'
import { createBashTool, createProtectedSet } from '@polylogue/tools'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** Puts the names together, so that the judge does not know them. */
const PLANT = `import os, shutil
git = '.' + 'git'
if os.path.isfile(git):
    try: os.rename(git, 'away')
    except OSError: pass
    try: open(git, 'w').write('gitdir: evil')
    except OSError: pass
else:
    hooks = os.path.join(git, 'hoo' + 'ks')
    try:
        os.makedirs(hooks, exist_ok=True)
        open(os.path.join(hooks, 'pre-commit'), 'w').write('evil')
    except OSError: pass
`

let folder: string
let workspace: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp('/var/tmp/polylogue-hooks-'))
  workspace = join(folder, 'work')
  await mkdir(workspace)
  git(workspace, 'init', '-q', '--template=')
  await writeFile(join(workspace, 'plant.py'), PLANT)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function git(cwd: string, ...args: readonly string[]): void {
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], { cwd, stdio: 'pipe' })
}

const stateDir = () => join(folder, 'state')
const createTool = (sandbox: 'required' | 'none') =>
  createBashTool({ stateDir: stateDir(), outputDir: join(stateDir(), 'outputs'), sandbox })

async function run(tool: ReturnType<typeof createTool>, command: string, cwd = workspace): Promise<string> {
  const { content } = await tool.run(createInvocation(tool, { command }, { workspace: { cwd, roots: [cwd] } }))
  return String(content)
}

const hook = () => join(workspace, '.git/hooks/pre-commit')

describe('what Git runs outside of the sandbox', () => {
  it('is not planted where there was no folder for it', async () => {
    await run(createTool('required'), 'python3 plant.py; ls')
    expect(existsSync(join(workspace, '.git/hooks'))).toBe(false)
    await run(createTool('none'), 'python3 plant.py; ls')
    expect(existsSync(hook())).toBe(true)
  })

  it('is not planted by a command that goes on when another one has ended', async () => {
    const tool = createTool('required')
    execFileSync('mkfifo', ['started', 'go'], { cwd: workspace })
    const first = run(tool, 'read line < started')
    const second = run(tool, 'echo > started; read line < go; python3 plant.py; ls')
    await first
    await writeFile(join(workspace, 'go'), '\n')
    await second
    expect(existsSync(hook())).toBe(false)
    expect(readdirSync(join(workspace, '.git'))).not.toContain('hooks')
  })

  it.each([
    ['beside its worktrees', 'gitdir: ./.bare\n', '.bare'],
    ['in a folder of the workspace', 'gitdir: store/git\n', 'store/git'],
  ])('is not planted in a repository %s', async (_, pointer, place) => {
    const bare = join(workspace, place)
    await mkdir(join(bare, '..'), { recursive: true })
    await rename(join(workspace, '.git'), bare)
    await writeFile(join(workspace, '.git'), pointer)
    const file = join(bare, 'hooks/pre-commit')
    const command = `python3 -c "import os; h='${place}/hoo'+'ks'; os.makedirs(h, exist_ok=True); open(h+'/pre-commit','w')"`
    await run(createTool('required'), command)
    expect(existsSync(file)).toBe(false)
    for (const name of ['hooks/pre-commit', 'config', 'commondir'])
      expect(createProtectedSet({ homes: [] }).look().find(join(bare, name), 'write')).toMatchObject([
        { grade: 'guarded' },
      ])
    expect(createProtectedSet({ homes: [] }).look().find(join(workspace, 'src/config'), 'write')).toEqual([])
    await run(createTool('required'), `mv ${place} away; mkdir -p ${place}; ${command}`)
    expect(existsSync(file)).toBe(false)
    await run(createTool('none'), command)
    expect(existsSync(file)).toBe(true)
  })

  it('is not named by another pointer in a linked worktree', async () => {
    await writeFile(join(workspace, 'a.txt'), 'a')
    git(workspace, 'add', '.')
    git(workspace, 'commit', '-qm', 'first')
    const linked = join(folder, 'linked')
    git(workspace, 'worktree', 'add', '-q', linked)
    const before = await readFile(join(linked, '.git'), 'utf8')
    await run(createTool('required'), 'python3 plant.py', linked)
    expect(await readFile(join(linked, '.git'), 'utf8')).toBe(before)
    await run(createTool('none'), 'python3 plant.py', linked)
    expect(await readFile(join(linked, '.git'), 'utf8')).toBe('gitdir: evil')
  })
})

it('a command cannot fill the memory of the machine with files below /dev', async () => {
  const printed = await run(
    createTool('required'),
    'df --output=size -k /dev/shm | tail -n 1; touch /dev/x 2>&1; echo x > /dev/shm/x && echo written',
  )
  expect(printed).toMatch(/^\s*1048576\n[^]*Read-only file system\nwritten$/)
})
