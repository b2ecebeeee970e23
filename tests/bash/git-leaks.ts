// Repositories whose own files lead out of them: links, hard links and paths in the index. A reading command then prints a
// file from outside. Each one counts only if plain Git prints it.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { issueGrant } from '@polylogue/engine'
import { createInvocation, testDigest } from '@polylogue/testkit'
import { createBashTool } from '@polylogue/tools'
import { git, write } from './git-world.ts'

export const SECRET = 'a-SECRET-7d1e'

interface Place {
  readonly repository: string
  /** A file with the secret. */
  readonly secret: string
  /** Another repository, with the secret in its history. */
  readonly other: string
}

export interface GitLeak {
  readonly name: string
  readonly command: string
  plant(place: Place): void
}

const TODO = 'rebase-merge/git-rebase-todo'
const IN_GIT = (repository: string, name: string): string => join(repository, '.git', name)

/** Paths in an index, from the top of the repository. */
const FOREIGN_PATHS: readonly ((place: Place) => string)[] = [
  () => '../secret.txt',
  ({ secret }) => secret,
  () => './../secret.txt',
  () => 'sub/../../secret.txt',
  ({ secret }) => `..${secret.slice(secret.lastIndexOf('/'))}`,
]
const INDEXES: readonly ('2' | '3' | '4' | 'split')[] = ['2', '3', '4', 'split']
const READING_INDEX = ['git diff', 'git diff HEAD', 'git diff --stat -p', 'git diff -U0']

export const GIT_LEAKS: readonly GitLeak[] = [
  ...FOREIGN_PATHS.flatMap((pathOf, index) =>
    INDEXES.flatMap((form) =>
      READING_INDEX.map((command) => ({
        name: `path ${index} in an index of version ${form}, ${command}`,
        command,
        plant: (place: Place) => writeIndex(place.repository, pathOf(place), form),
      })),
    ),
  ),
  ...(['git status', 'git status --long'] as const).flatMap((command) => [
    {
      name: `a linked list of a rebase, ${command}`,
      command,
      plant: ({ repository, secret }: Place) =>
        rebasing(repository, () => symlinkSync(secret, IN_GIT(repository, TODO))),
    },
    {
      name: `a hard link as the list of a rebase, ${command}`,
      command,
      plant: ({ repository, secret }: Place) => rebasing(repository, () => linkSync(secret, IN_GIT(repository, TODO))),
    },
    {
      name: `a linked list of what a rebase has done, ${command}`,
      command,
      plant: ({ repository, secret }: Place) =>
        rebasing(repository, () => {
          write(IN_GIT(repository, TODO), '')
          rmSync(IN_GIT(repository, 'rebase-merge/done'))
          symlinkSync(secret, IN_GIT(repository, 'rebase-merge/done'))
        }),
    },
    {
      name: `a linked folder of a rebase, ${command}`,
      command,
      plant: ({ repository, secret }: Place) => {
        rebasing(repository, () => cpSync(secret, IN_GIT(repository, TODO)))
        renameSync(IN_GIT(repository, 'rebase-merge'), join(repository, '../rebasing'))
        symlinkSync('../../rebasing', IN_GIT(repository, 'rebase-merge'))
      },
    },
  ]),
  ...[
    'git log -p theirs',
    'git show theirs',
    'git diff HEAD theirs',
    'git log --all -p',
    'git show theirs:secret',
  ].flatMap((command) => [
    {
      name: `links to the objects and a reference of another repository, ${command}`,
      command,
      plant: ({ repository, other }: Place) => {
        linkObjects(repository, other)
        symlinkSync(IN_GIT(other, 'refs/heads/main'), IN_GIT(repository, 'refs/heads/theirs'))
      },
    },
    {
      name: `links to each object of another repository, ${command}`,
      command,
      plant: ({ repository, other }: Place) => {
        linkEachObject(repository, other)
        cpSync(IN_GIT(other, 'refs/heads/main'), IN_GIT(repository, 'refs/heads/theirs'))
      },
    },
    {
      name: `a link to the packed references of another repository, ${command}`,
      command,
      plant: ({ repository, other }: Place) => {
        git(other, 'branch', 'theirs')
        git(other, 'pack-refs', '--all')
        linkEachObject(repository, other)
        symlinkSync(IN_GIT(other, 'packed-refs'), IN_GIT(repository, 'packed-refs'))
      },
    },
    {
      name: `links to the packs of another repository, ${command}`,
      command,
      plant: ({ repository, other }: Place) => {
        git(other, 'gc', '-q')
        mkdirSync(IN_GIT(repository, 'objects/pack'), { recursive: true })
        for (const name of readdirSync(IN_GIT(other, 'objects/pack')))
          symlinkSync(IN_GIT(other, `objects/pack/${name}`), IN_GIT(repository, `objects/pack/${name}`))
        write(IN_GIT(repository, 'refs/heads/theirs'), git(other, 'rev-parse', 'HEAD'))
      },
    },
  ]),
  {
    name: 'a link to the log of another repository',
    command: 'git log --walk-reflogs -p',
    plant: ({ repository, other }) => {
      linkEachObject(repository, other)
      rmSync(IN_GIT(repository, 'logs/HEAD'))
      symlinkSync(IN_GIT(other, 'logs/HEAD'), IN_GIT(repository, 'logs/HEAD'))
    },
  },
  {
    name: 'a hard link as the configuration',
    command: 'git config --get my.token',
    plant: ({ repository, secret }) => {
      writeFileSync(secret, `[my]\n\ttoken = ${SECRET}\n`)
      rmSync(IN_GIT(repository, 'config'))
      linkSync(secret, IN_GIT(repository, 'config'))
    },
  },
  {
    name: 'a linked configuration',
    command: 'git config --get my.token',
    plant: ({ repository, secret }) => {
      writeFileSync(secret, `[my]\n\ttoken = ${SECRET}\n`)
      rmSync(IN_GIT(repository, 'config'))
      symlinkSync(secret, IN_GIT(repository, 'config'))
    },
  },
  {
    name: 'a linked repository',
    command: 'git log -p',
    plant: ({ repository, other }) => {
      rmSync(IN_GIT(repository, '.'), { recursive: true })
      symlinkSync(IN_GIT(other, '.'), join(repository, '.git'))
    },
  },
  {
    name: 'a file that names another repository',
    command: 'git log -p',
    plant: ({ repository, other }) => {
      rmSync(IN_GIT(repository, '.'), { recursive: true })
      write(join(repository, '.git'), `gitdir: ${IN_GIT(other, '')}\n`)
    },
  },
  {
    name: 'alternates',
    command: 'git log -p theirs',
    plant: ({ repository, other }) => {
      write(IN_GIT(repository, 'objects/info/alternates'), `${IN_GIT(other, 'objects')}\n`)
      cpSync(IN_GIT(other, 'refs/heads/main'), IN_GIT(repository, 'refs/heads/theirs'))
    },
  },
  {
    name: 'another working directory',
    command: 'git diff',
    plant: ({ repository, secret }) => {
      write(join(repository, '../elsewhere/a.txt'), readFileSync(secret, 'utf8'))
      git(repository, 'config', 'core.worktree', join(repository, '../elsewhere'))
    },
  },
]

export interface LeakReadings {
  readonly notWorking: readonly string[]
  readonly leaks: readonly string[]
  /** Those that run unasked where they could show something. */
  readonly unasked: readonly string[]
}

export async function readLeaks(leaks: readonly GitLeak[]): Promise<LeakReadings> {
  const found: { [list in keyof LeakReadings]: string[] } = { notWorking: [], leaks: [], unasked: [] }
  for (const leak of leaks) {
    // Not below the folder for temporary files, which the sandbox replaces.
    const folder = realpathSync(mkdtempSync('/var/tmp/polylogue-leaks-'))
    try {
      const place = makePlace(folder)
      leak.plant(place)
      if (!printsPlainly(leak.command, place.repository)) found.notWorking.push(leak.name)
      for (const sandbox of ['none', 'required'] as const) {
        const { isSafe, printed } = await readAs(sandbox, leak.command, place)
        if (printed.includes(SECRET)) found.leaks.push(`${leak.name}, sandbox ${sandbox}`)
        if (isSafe && sandbox === 'none' && !LOOKS_INSIDE.test(leak.name)) found.unasked.push(leak.name)
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return found
}

/** These are read without what leads outside. */
const LOOKS_INSIDE = /rebase|working directory/

async function readAs(sandbox: 'none' | 'required', command: string, { repository }: Place) {
  const state = join(repository, '../state')
  const tool = createBashTool({ stateDir: state, outputDir: join(state, 'outputs'), sandbox })
  const workspace = { cwd: repository, roots: [repository] }
  const inspection = await tool.inspect?.({ command }, workspace)
  const isSafe = inspection?.facts.type === 'shell' && inspection.facts.risk === 'safe'
  if (!isSafe) return { isSafe, printed: '' }
  const call = { tool: tool.name, input: { command }, cwd: repository, policy: 'test', isHarmless: true as const }
  const invocation = createInvocation(tool, { command }, { workspace })
  const { content } = await tool.run({ ...invocation, grant: issueGrant(call, testDigest) })
  return { isSafe, printed: String(content) }
}

function printsPlainly(command: string, cwd: string): boolean {
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore']
    const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' }
    return execFileSync('bash', ['-c', command], { cwd, env, encoding: 'utf8', stdio }).includes(SECRET)
  } catch (error) {
    return error instanceof Error && 'stdout' in error && String(error.stdout).includes(SECRET)
  }
}

function makePlace(folder: string): Place {
  const [repository, other] = [join(folder, 'work'), join(folder, 'other')]
  for (const path of [repository, other]) {
    mkdirSync(path)
    git(path, 'init', '-q', '-b', 'main')
  }
  mkdirSync(join(repository, 'sub'))
  write(join(repository, 'a.txt'), 'one\n')
  write(join(other, 'secret'), `${SECRET}\n`)
  for (const path of [repository, other]) {
    git(path, 'add', '.')
    git(path, 'commit', '-qm', path === other ? SECRET : 'first')
  }
  const secret = join(folder, 'secret.txt')
  write(secret, `${SECRET}\n`)
  return { repository, secret, other }
}

function rebasing(repository: string, plant: () => void): void {
  write(IN_GIT(repository, 'rebase-merge/onto'), git(repository, 'rev-parse', 'HEAD'))
  write(IN_GIT(repository, 'rebase-merge/head-name'), 'refs/heads/main\n')
  for (const name of ['done', 'interactive']) write(IN_GIT(repository, `rebase-merge/${name}`), '')
  plant()
}

function linkObjects(repository: string, other: string): void {
  for (const name of readdirSync(IN_GIT(other, 'objects'))) {
    if (!/^[0-9a-f]{2}$/.test(name)) continue
    rmSync(IN_GIT(repository, `objects/${name}`), { recursive: true, force: true })
    symlinkSync(IN_GIT(other, `objects/${name}`), IN_GIT(repository, `objects/${name}`))
  }
}

function linkEachObject(repository: string, other: string): void {
  for (const name of readdirSync(IN_GIT(other, 'objects'))) {
    if (!/^[0-9a-f]{2}$/.test(name)) continue
    mkdirSync(IN_GIT(repository, `objects/${name}`), { recursive: true })
    for (const object of readdirSync(IN_GIT(other, `objects/${name}`)))
      symlinkSync(IN_GIT(other, `objects/${name}/${object}`), IN_GIT(repository, `objects/${name}/${object}`))
  }
}

/** An index with one path, which Git would not write itself. */
function writeIndex(repository: string, path: string, form: (typeof INDEXES)[number]): void {
  const blob = Buffer.from(git(repository, 'rev-parse', 'HEAD:a.txt').trim(), 'hex')
  const version = form === 'split' ? 2 : Number(form)
  const name = Buffer.from(path)
  const stats = Buffer.alloc(40)
  stats.writeUInt32BE(0o100644, 24)
  const flags = Buffer.alloc(version === 3 ? 4 : 2)
  flags.writeUInt16BE(name.length | (version === 3 ? 0x4000 : 0))
  const entry = Buffer.concat([stats, blob, flags, ...(version === 4 ? [Buffer.from([0])] : []), name])
  const padding = version === 4 ? 1 : 8 - (entry.length % 8)
  const header = Buffer.from('DIRC\0\0\0\0\0\0\0\x01')
  header.writeUInt32BE(version, 4)
  const body = Buffer.concat([header, entry, Buffer.alloc(padding)])
  writeFileSync(IN_GIT(repository, 'index'), Buffer.concat([body, digest(body)]))
  if (form !== 'split') return
  const shared = digest(body)
  renameSync(IN_GIT(repository, 'index'), IN_GIT(repository, `sharedindex.${shared.toString('hex')}`))
  // Refers to the shared part, and deletes and replaces nothing: two empty bitmaps.
  const bitmap = Buffer.from([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  const link = Buffer.concat([shared, bitmap, bitmap])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(link.length)
  const split = Buffer.concat([Buffer.from('DIRC\0\0\0\x02\0\0\0\0'), Buffer.from('link'), size, link])
  writeFileSync(IN_GIT(repository, 'index'), Buffer.concat([split, digest(split)]))
}

const digest = (bytes: Buffer): Buffer => createHash('sha1').update(bytes).digest()
