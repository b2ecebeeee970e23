// Spellings of commands that print a protected file, or one outside the workspace. One counts only if plain bash prints it.
import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { judgeCall, type Preset } from '@polylogue/engine'
import { createInvocation } from '@polylogue/testkit'
import { createBashTool, createProtectedSet } from '@polylogue/tools'
import { MORE_READS } from './more-reads.ts'

export interface SecretReads {
  /** Spellings that work in plain bash. */
  readonly counted: number
  readonly notWorking: readonly string[]
  /** Those that ran unasked and printed the secret. */
  readonly leaks: readonly string[]
  /** Those that ran unasked without a sandbox, whatever they printed. */
  readonly unasked: readonly string[]
}

const SECRET = 'a-SECRET-5c2f'

/** What is read, and how its path can be spelled. `W` is the workspace, `H` the home directory beside it. */
const FILES: readonly { readonly path: string; readonly spellings: readonly string[] }[] = [
  {
    path: 'H/.ssh/id_rsa',
    spellings: [
      '~/.ssh/id_rsa',
      '$HOME/.ssh/id_rsa',
      '"${HOME}"/.ssh/id_rsa',
      'H/.ssh/id_rsa',
      '../home/.ssh/id_rsa',
      'H//.ssh/./id_rsa',
      '~/.ssh/../.ssh/id_rsa',
      '~/.s*/id_*',
      '~/.ssh/id_rs{a,a}',
      "~/.ss'h'/id_rsa",
      String.raw`$'\x2e\x2e/home/.ssh/id_rsa'`,
      'to-ssh/id_rsa',
      'to-key',
      'hard-ssh',
      'W/hard-ssh',
      'empty/../hard-s{sh,sh}',
    ],
  },
  { path: 'H/.netrc', spellings: ['~/.netrc', '../home/.netrc', 'H/.ne?rc', '~/.netr[c]', 'to-home/.netrc'] },
  { path: 'D/local.key', spellings: ['D/local.key', '../data/local.key', 'D/loc*', 'to-data/local.key', 'hard-key'] },
  { path: 'W/polylogue.config.ts', spellings: ['polylogue.config.ts', './polylogue.config.ts', 'W/polylogue.c*'] },
  { path: 'O/other.txt', spellings: ['../outside/other.txt', 'O/other.txt', 'to-outside/other.txt'] },
]

/** `F` stands for the file. */
const READERS: readonly string[] = [
  'cat F',
  'head -n 5 F',
  'tail -c 100 F',
  'grep SECRET F',
  'grep -h "" F',
  'diff F /dev/null',
  'diff -u /dev/null F',
  'git diff --no-index /dev/null F',
  'cat < F',
  'cat -- F',
  'sort F',
  'sed -n p F',
  'awk 1 F',
  'nl F',
  'dd if=F status=none',
  'bash -c "cat F"',
  'while read -r l; do echo "$l"; done < F',
  'cp F copy && cat copy',
  'tee < F',
]

/** Whole commands that come by it by recursion or by an option. */
const WALKS: readonly string[] = [
  'grep -r SECRET ~',
  'grep --rec SECRET ~',
  'grep --recursive SECRET H',
  'grep --dir=recurse SECRET ~',
  'grep --directories=recurse SECRET ~/.ssh',
  'grep -d recurse SECRET ..',
  'grep -R SECRET .',
  'grep --deref SECRET .',
  'grep -rs SECRET ../home',
  'grep -rh SECRET ..',
  'grep -r SECRET D',
  'diff --rec -N ~/.ssh empty',
  'diff -rN ../home empty',
  'diff --recursive --new-file D empty',
  'find ~ -name id_rsa -exec cat {} +',
  'grep -f ~/.ssh/id_rsa copy-of-secret',
  'grep --file=H/.netrc copy-of-secret',
  'git diff --no-index empty ~/.ssh',
  'git diff ../home/.netrc empty-file',
  'git grep --no-index SECRET ~',
  'tar cf - ~/.ssh',
  'cat to-*/*',
  'cat hard-k*',
  'head -n 2 h*',
  'grep SECRET hard-*',
  'grep -r SECRET .',
  'grep -rn SECRET',
  'grep -rh SECRET . --include=hard-key',
  'cat to-key',
  'head to-s*/id_rsa',
]

interface World {
  readonly cwd: string
  readonly home: string
  readonly data: string
  fill(command: string): string
  remove(): void
}

/** Not below the folder for temporary files, which the sandbox replaces. */
function createWorld(): World {
  const base = realpathSync(mkdtempSync('/var/tmp/polylogue-reads-'))
  const [cwd, home, data, outside] = ['work', 'home', 'data', 'outside'].map((name) => join(base, name)) as [
    string,
    string,
    string,
    string,
  ]
  const places: Readonly<Record<string, string>> = { W: cwd, H: home, D: data, O: outside }
  const fill = (text: string): string =>
    text.replaceAll(/(?<![\w.~/-])[WHDO](?=\/)|(?<=[ =])[HD](?= |$)/g, (name) => places[name] ?? name)
  for (const { path } of FILES) {
    const file = fill(path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${SECRET}\n`)
  }
  mkdirSync(join(cwd, 'empty'), { recursive: true })
  writeFileSync(join(cwd, 'empty-file'), '')
  writeFileSync(join(cwd, 'copy-of-secret'), `${SECRET}\n`)
  symlinkSync(join(home, '.ssh'), join(cwd, 'to-ssh'))
  symlinkSync(home, join(cwd, 'to-home'))
  symlinkSync(data, join(cwd, 'to-data'))
  symlinkSync('../outside', join(cwd, 'to-outside'))
  symlinkSync('to-ssh/id_rsa', join(cwd, 'to-key'))
  linkSync(join(home, '.ssh/id_rsa'), join(cwd, 'hard-ssh'))
  linkSync(join(data, 'local.key'), join(cwd, 'hard-key'))
  return { cwd, home, data, fill, remove: () => rmSync(base, { recursive: true, force: true }) }
}

export const READS: readonly string[] = [
  ...FILES.flatMap(({ spellings }) =>
    spellings.flatMap((spelling) => READERS.map((reader) => reader.replace('F', () => spelling))),
  ),
  ...WALKS,
  ...MORE_READS,
]

const PRESETS: readonly Preset[] = ['plan', 'workspace-write']

export async function tryReads(reads: readonly string[]): Promise<SecretReads> {
  const world = createWorld()
  const { cwd, home, data } = world
  const state = join(data, 'state')
  const protectedSet = createProtectedSet({
    secret: [data],
    guarded: [join(cwd, 'polylogue.config.ts')],
    homes: [home],
  })
  const before = process.env['HOME']
  process.env['HOME'] = home
  const tools = (['none', 'required'] as const).map((sandbox) => ({
    sandbox,
    tool: createBashTool({ stateDir: state, outputDir: join(state, 'outputs'), sandbox, protectedSet }),
  }))
  const workspace = { cwd, roots: [cwd] }
  const [notWorking, leaks, unasked]: [string[], string[], string[]] = [[], [], []]
  let counted = 0
  try {
    for (const read of reads) {
      const command = world.fill(read)
      if (!printsSecret(command, cwd, home)) {
        notWorking.push(read)
        continue
      }
      counted += 1
      for (const { sandbox, tool } of tools) {
        const facts = (await tool.inspect?.({ command }, workspace))?.facts
        if (facts?.type !== 'shell') throw new Error('Bash tells shell facts')
        const isAllowed = PRESETS.some((preset) => {
          const policy = { ...POLICY, preset }
          return judgeCall({ tool, input: { command }, facts, policy }).decision === 'allow'
        })
        if (!isAllowed) continue
        if (sandbox === 'none') unasked.push(read)
        const granted = { isHarmless: true as const }
        const { content } = await tool.run(createInvocation(tool, { command }, { workspace, granted }))
        if (String(content).includes(SECRET) && !read.includes('copy-of-secret'))
          leaks.push(`${read}, sandbox ${sandbox}`)
      }
    }
    return { counted, notWorking, leaks, unasked }
  } finally {
    process.env['HOME'] = before
    world.remove()
  }
}

const POLICY = {
  access: { type: 'preset' as const },
  denyRules: [],
  userRules: [],
  hosts: { allow: [], block: [] },
  isOwn: true,
  mayRunUnconfined: true,
  mayUseNetwork: true,
}

function printsSecret(command: string, cwd: string, home: string): boolean {
  const { PATH = '' } = process.env
  const options = {
    cwd,
    env: { PATH, HOME: home },
    encoding: 'utf8' as const,
    stdio: ['ignore', 'pipe', 'ignore'] as ['ignore', 'pipe', 'ignore'],
  }
  try {
    return execFileSync('bash', ['-c', command], options).includes(SECRET)
  } catch (error) {
    return error instanceof Error && 'stdout' in error && String(error.stdout).includes(SECRET)
  } finally {
    rmSync(join(cwd, 'copy'), { force: true })
  }
}
