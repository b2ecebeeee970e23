// Repositories whose settings, hooks, attributes, includes, remotes and submodules name a program, which Git runs for
// commands that only read. Each one counts only if plain Git runs the program.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { git, write } from './git-world.ts'

export interface GitAttack {
  readonly name: string
  /** Writes it into a repository. `run` is a program that leaves a trace. */
  plant(repository: string, run: string): void
}

type Settings = readonly (readonly [key: string, value: string])[]

interface Vector {
  readonly name: string
  /** `RUN` stands for the program. */
  readonly settings: Settings
  readonly attributes?: string
  prepare?(repository: string, run: string): void
}

/** What makes Git run a program while it reads. */
const VECTORS: readonly Vector[] = [
  { name: 'external diff', settings: [['diff.external', 'RUN']] },
  { name: 'diff driver', settings: [['diff.x.command', 'RUN']], attributes: '* diff=x' },
  { name: 'textconv', settings: [['diff.x.textconv', 'RUN']], attributes: '* diff=x' },
  {
    name: 'cached textconv',
    settings: [
      ['diff.x.textconv', 'RUN'],
      ['diff.x.cachetextconv', 'true'],
    ],
    attributes: '* diff=x',
  },
  { name: 'clean filter', settings: [['filter.x.clean', 'RUN']], attributes: '* filter=x' },
  {
    name: 'required clean filter',
    settings: [
      ['filter.x.clean', 'RUN'],
      ['filter.x.required', 'true'],
    ],
    attributes: '* filter=x',
  },
  { name: 'filter process', settings: [['filter.x.process', 'RUN']], attributes: '* filter=x' },
  { name: 'file-system monitor', settings: [['core.fsmonitor', 'RUN']] },
  {
    name: 'file-system monitor, version 1',
    settings: [
      ['core.fsmonitor', 'RUN'],
      ['core.fsmonitorHookVersion', '1'],
    ],
  },
  {
    name: 'hooks path',
    settings: [['core.hooksPath', 'HOOKS']],
    prepare: (repository, run) => hook(join(repository, 'my-hooks'), run),
  },
  {
    name: 'gpg program',
    settings: [
      ['gpg.program', 'RUN'],
      ['log.showSignature', 'true'],
    ],
  },
  {
    name: 'gpg program of a format',
    settings: [
      ['gpg.openpgp.program', 'RUN'],
      ['log.showSignature', 'true'],
    ],
  },
  {
    name: 'gpg program in a format',
    settings: [
      ['gpg.program', 'RUN'],
      ['format.pretty', 'format:%h %G?'],
    ],
  },
  {
    name: 'gpg program in a named format',
    settings: [
      ['gpg.program', 'RUN'],
      ['pretty.mine', 'format:%h%+GK'],
      ['format.pretty', 'mine'],
    ],
  },
  {
    name: 'promisor remote with a program of its own',
    settings: [...promisor('.'), ['remote.origin.uploadpack', 'RUN']],
    prepare: loseBlob,
  },
  {
    name: 'promisor remote by ext',
    settings: [...promisor('ext::RUN'), ['protocol.ext.allow', 'always']],
    prepare: loseBlob,
  },
  {
    name: 'promisor remote by ssh',
    settings: [...promisor('ssh://host/x'), ['core.sshCommand', 'RUN']],
    prepare: loseBlob,
  },
  {
    name: 'promisor remote by a proxy',
    settings: [...promisor('git://host/x'), ['core.gitProxy', 'RUN']],
    prepare: loseBlob,
  },
  {
    name: 'promisor remote by another name',
    settings: [...promisor('mine:x'), ['url.ext::RUN .insteadOf', 'mine:'], ['protocol.ext.allow', 'always']],
    prepare: loseBlob,
  },
  {
    name: 'merge driver',
    settings: [
      ['merge.x.driver', 'RUN'],
      ['log.diffMerges', 'remerge'],
    ],
    attributes: '* merge=x',
  },
  { name: 'submodule with a monitor', settings: [], prepare: (repository, run) => submodule(repository, run) },
  {
    name: 'submodule that is not ignored',
    settings: [['diff.ignoreSubmodules', 'all']],
    prepare: (repository, run) => submodule(repository, run, 'ignore = none'),
  },
  {
    name: 'submodule shown as a diff',
    settings: [['diff.submodule', 'diff']],
    prepare: (repository, run) => submodule(repository, run),
  },
  {
    name: 'submodule summary',
    settings: [['status.submoduleSummary', 'true']],
    prepare: (repository, run) => submodule(repository, run),
  },
]

/** Where settings stand, and how they are spelled. */
const PLACES: Readonly<Record<string, (repository: string, text: string) => void>> = {
  'in the configuration': (repository, text) => append(repository, 'config', text),
  'in an included file': (repository, text) => {
    write(join(repository, 'settings'), text)
    append(repository, 'config', `[include]\n\tpath = ../settings\n`)
  },
  'in a file included for the folder': (repository, text) => {
    write(join(repository, '.git', 'more'), text)
    append(repository, 'config', `[includeIf "gitdir:${repository}/"]\n\tpath = more\n`)
  },
  'in a file included for the branch': (repository, text) => {
    write(join(repository, '.git', 'more'), text)
    append(repository, 'config', `[includeIf "onbranch:main"]\n\tpath = more\n`)
  },
  'in the configuration of the worktree': (repository, text) => {
    append(repository, 'config', '[extensions]\n\tworktreeConfig = true\n[core]\n\trepositoryformatversion = 1\n')
    append(repository, 'config.worktree', text)
  },
  'in capitals': (repository, text) =>
    append(
      repository,
      'config',
      text
        .replace(/^\[([a-z]+)/gm, (_, name: string) => `[${name.toUpperCase()}`)
        .replace(/^\t(\w+)/gm, (_, name: string) => `\t${name.toUpperCase()}`),
    ),
  'over two lines': (repository, text) => append(repository, 'config', text.replace(/ = /g, ' = \\\n')),
}

/** Where attributes stand. */
const ATTRIBUTE_PLACES: Readonly<Record<string, (repository: string, text: string) => Settings>> = {
  '.gitattributes': (repository, text) => (write(join(repository, '.gitattributes'), text), []),
  'info/attributes': (repository, text) => (write(join(repository, '.git/info/attributes'), text), []),
  'core.attributesFile': (repository, text) => {
    write(join(repository, 'my-attributes'), text)
    return [['core.attributesFile', join(repository, 'my-attributes')]]
  },
}

export const GIT_ATTACKS: readonly GitAttack[] = [
  ...VECTORS.flatMap((vector) =>
    Object.entries(PLACES).flatMap(([place, put]) =>
      Object.entries(vector.attributes === undefined ? { '': () => [] } : ATTRIBUTE_PLACES).map(
        ([where, attribute]) => ({
          name: [vector.name, place, where].filter(Boolean).join(', '),
          plant(repository: string, run: string) {
            vector.prepare?.(repository, run)
            const more = vector.attributes === undefined ? [] : attribute(repository, `${vector.attributes}\n`)
            const settings = [...vector.settings, ...more]
            if (settings.length > 0) put(repository, toText(settings, repository, run))
          },
        }),
      ),
    ),
  ),
  { name: 'a hook', plant: (repository, run) => hook(join(repository, '.git/hooks'), run) },
]

function promisor(url: string): Settings {
  return [
    ['core.repositoryformatversion', '1'],
    ['extensions.partialClone', 'origin'],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.url', url],
  ]
}

/** Takes away a blob that the history needs, so that Git asks the remote for it. */
function loseBlob(repository: string): void {
  for (const revision of ['HEAD:a.txt', 'HEAD~1:a.txt', 'HEAD:b.txt']) {
    const blob = git(repository, 'rev-parse', revision).trim()
    rmSync(join(repository, '.git/objects', blob.slice(0, 2), blob.slice(2)), { force: true })
  }
}

function hook(folder: string, run: string): void {
  for (const name of ['post-index-change', 'fsmonitor-watchman', 'pre-commit', 'post-checkout']) {
    write(join(folder, name), `#!/bin/sh\nexec '${run}'\n`)
    chmodSync(join(folder, name), 0o755)
  }
}

function submodule(repository: string, run: string, more = ''): void {
  const path = join(repository, 'sub')
  mkdirSync(path)
  git(path, 'init', '-q', '-b', 'main')
  write(join(path, 'x.txt'), 'x\n')
  git(path, 'add', '.')
  git(path, 'commit', '-qm', 'x')
  const commit = git(path, 'rev-parse', 'HEAD').trim()
  write(join(repository, '.gitmodules'), `[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\t${more}\n`)
  git(repository, 'update-index', '--add', '--cacheinfo', `160000,${commit},sub`)
  git(repository, 'commit', '-qm', 'with a submodule')
  append(path, 'config', `[core]\n\tfsmonitor = ${run}\n[diff]\n\texternal = ${run}\n`)
  write(join(path, 'x.txt'), 'changed\n')
}

function toText(settings: Settings, repository: string, run: string): string {
  return settings
    .map(([key, value]) => {
      const parts = key.replace('RUN', run).split('.')
      const [section = '', name = ''] = [parts[0], parts.at(-1)]
      const subsection = key.replace('RUN', run).slice(section.length + 1, -(name.length + 1))
      const head = parts.length === 2 ? `[${section}]` : `[${section} "${subsection}"]`
      const filled = value.replace('RUN', run).replace('HOOKS', join(repository, 'my-hooks'))
      return `${head}\n\t${name} = ${filled}\n`
    })
    .join('')
}

function append(repository: string, file: string, text: string): void {
  const path = join(repository, '.git', file)
  const before = existsSync(path) ? readFileSync(path, 'utf8') : ''
  write(path, `${before}${text}`)
}
