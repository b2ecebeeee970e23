import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createProtectedSet } from '../protected/protected-set.ts'
import { type InspectionOptions, inspectCommand } from './inspect-command.ts'

const PLACE = { cwd: '/work/space', home: '/home/u', roots: ['/work/space'], isConfined: true }
const riskOf = async (command: string, options: InspectionOptions = {}) =>
  (await inspectCommand(command, { ...PLACE, ...options })).facts.risk

/** Each entry of the list, and the same with what takes it off. */
const ENTRIES: readonly (readonly [safe: string, ...unsafe: string[]])[] = [
  ['git status', 'git status; id', 'git -C /x status', 'git --git-dir=x status', 'git status --ignore-submodules=none'],
  ['git status --short --branch', 'git status > x', 'git -c core.fsmonitor=./x status', 'git status --no-optional'],
  ['git status -uno', 'git status -u --output=x', 'git status --col'],
  ['git log --oneline -n 5', 'git log --output=x', 'git log --outpu x', 'git log "--output" x', 'git log *'],
  ['git log -5', 'git log --ext-diff -p', 'git log --ext -p', 'git log --show-signature', 'git log --textconv'],
  ['git log --format=%h%n%an', 'git log --format=%GG', 'git log --pretty=format:%h%+GK', 'git log --format=%-G?'],
  ['git diff HEAD~1 -- src', 'git diff --output=x', "git diff '--output=x'", 'git diff {--output=x,y}', 'git difftool'],
  ['git diff a b', 'git diff --no-index a b', 'git diff --textconv', 'git diff --help', 'git diff [-]-output=x'],
  ['git diff main..dev', 'git diff /etc/passwd a', 'git diff ../x a', 'git diff --submodule=diff', 'git diff -O x'],
  ['git show HEAD:src/a.ts', 'git show $X', 'git show `id`', 'git show --ext-diff', 'git show --sub'],
  ['git stash list', 'git stash', 'git stash pop', 'git stash list --output=x', 'git stash drop'],
  ['git shortlog -sn', 'git shortlog --output=x', 'git shortlog | sh'],
  ['git describe --tags', 'git describe & id', 'git describe --dirty'],
  ['git blame -L 1,5 a.ts', 'git blame --output=x', 'git blame --contents /etc/passwd a', 'git bisect run ./x'],
  ['git ls-files', 'git ls-files > x', 'git ls-files -X /etc/passwd', 'git ls-files --recurse-submodules'],
  ['git ls-tree HEAD', 'git ls-remote ext::sh'],
  ['git rev-parse HEAD', 'git rev-parse $(id)', 'git rev-parse --git-dir'],
  ['git config --get user.name', 'git config user.name x', 'git config --get --edit', 'git config --unset user.name'],
  ['git config --get --bool a.b', 'git config --global --get user.name', 'git config --get --file=x --add a b'],
  ['ls -la src', './ls', '/bin/ls', 'l""s', '\\ls', 'FOO=1 ls', 'ls\nid', 'ls & id', 'ls\r', 'ls <x', '! ls', '(ls)'],
  ['ls a*', 'ls $HOME', 'ls ${X}', 'ls `id`', 'ls >x', 'ls |cat', '{ ls; }', 'ls &', 'time ls', 'command ls', 'ls *'],
  ['ls .', 'ls ..', 'ls /', 'ls /etc', 'ls ~', 'ls -RL', 'ls --der', 'ls --recu'],
  ['cat a b', 'cat /proc/1/environ', 'cat /proc/*/environ', 'cat ../../proc/self/environ', 'cat /dev/sda', 'cat <(id)'],
  ['cat -n a', 'cat --nu a', 'cat /etc/hostname', 'cat ../space2/a'],
  ['echo hello', 'echo $SECRET', 'echo hello >x', 'echo `id`', 'echo a;id', 'echo "$(id)"', "echo $'a'", 'echo /etc/*'],
  ['echo "rm -rf /"', 'echo "a" | sh', 'echo a\necho b'],
  ['pwd', 'pwd && id', 'env pwd'],
  ['which node', 'which node || id', 'whichever', 'which /etc/*'],
  [
    'file a.png',
    'file -C -m x',
    'file -bC',
    'file --compile',
    'file --comp',
    'file -z a',
    'file -s /dev/sda',
    'file *',
  ],
  ['head -n 5 a', 'head -n 5 a > b', 'heads', 'head --lin=5 a'],
  ['tail -n 5 a', 'tail -f a', 'tail -f a | tee b', 'tail -n 1 /proc/1/environ', 'tail --fol a'],
  ['wc -l a', 'wc -l a &> b', 'wc --files0-from=/proc/1/environ', 'wc --files0-from=list'],
  [
    'diff -u a b',
    'diff -l a b',
    'diff -ul a b',
    'diff --paginate a b',
    'diff --pag a b',
    'diff * b',
    'diff --rec -N a b',
  ],
  ['diff a b', 'diff -r a b', 'diff --recursive a b', 'diff --from-file=/etc/passwd a', 'diff a /etc/passwd'],
  ['grep -rn "a b" src', 'grep a b | sh', 'grep -r KEY /proc', 'grep a `id`', 'egrep a b', 'grep $(id) a'],
  [
    'grep -r x',
    'grep --rec x',
    'grep --dir=recurse x',
    'grep --directories=recurse x',
    'grep -d recurse x',
    'grep -R x',
  ],
  ['grep -e a -i b', 'grep -f /etc/passwd a', 'grep --file=x a', 'grep --fil x a', 'grep -r x ~', 'grep -r x ..'],
  ['grep --include=*.ts -r x .', 'grep -D read x .', 'grep --exclude-from=/etc/passwd x a'],
  ['du -sh .', 'du -sh . ; id', 'du -L .', 'du --files0-from=x', 'du /'],
  ['df -h', 'df -h >> x'],
  ['ps aux', 'ps auxe', 'ps e', 'ps axeww', 'ps -E', 'ps -o environ'],
  ['ps -ef', 'ps -ef | kill', 'pstree'],
]

describe('the safe list', () => {
  it.each(ENTRIES.map(([safe]) => safe))('acp 10.3: has `%s`', async (command) => {
    expect(await riskOf(command)).toBe('safe')
  })

  it.each(ENTRIES.flatMap(([, ...unsafe]) => unsafe))('acp 10.3: does not have `%s`', async (command) => {
    expect(await riskOf(command)).not.toBe('safe')
  })

  it.each([
    'env',
    'printenv',
    'find .',
    'sed -n 1p a',
    'sort a',
    'node -v',
    'git',
    'git push',
    'git stash show',
    '#',
    ' ',
  ])('acp 10.3: does not offer `%s`, even a harmless one', async (command) => {
    expect(await riskOf(command)).toBe('other')
  })

  const view = createProtectedSet({
    secret: ['/data', '/work/space/.polylogue'],
    guarded: ['/work/space/app/polylogue.config.ts'],
    homes: ['/home/u'],
  }).look()

  it.each(['grep -rn sk- .', 'grep -r sk-', 'ls -R', 'du -sh .', 'grep -r x app'])(
    'S8: does not have `%s` where it would walk over protected files without a sandbox',
    async (command) => {
      expect(await riskOf(command, { view, isConfined: false })).toBe('other')
      expect(await riskOf(command, { view, isConfined: true })).toBe('safe')
    },
  )

  it.each(['ls', 'ls .', 'cat a/b', 'grep sk- a', 'git status', 'grep -r x src'])(
    'S8: has `%s` all the same',
    async (command) => {
      expect(await riskOf(command, { view, isConfined: false })).toBe('safe')
    },
  )

  it('S8: has what is in a workspace within a protected folder', async () => {
    const options = { cwd: '/data/sessions/a', roots: ['/data/sessions/a'], view }
    expect(await riskOf('cat notes.txt', options)).toBe('safe')
    expect(await riskOf('cat ../b/notes.txt', options)).toBe('other')
    expect(await riskOf('cat ../../local.key', options)).toBe('other')
  })

  const links: Readonly<Record<string, string>> = {
    '/work/space/notes': '/work/space/notes',
    '/work/space/key': '/data/local.key',
    '/work/space/out/x': '/data/x',
    '/work/space/out/../y': '/y',
    '/work/space/mail': '/home/u/.netrc',
    '/work/space/process': '/proc/1/environ',
    '/work/space/system': '/etc/hostname',
    '/work/space/folder': '/work/space/folder',
  }
  const linked = (command: string) =>
    riskOf(command, {
      view,
      isConfined: false,
      follow: (path) => links[path],
      isFolder: (path) => path === '/work/space/folder',
    })

  it.each(['cat notes', 'cat absent', 'grep -r x notes', 'ls', 'diff notes absent'])(
    'S8: has `%s` where links are looked at',
    async (command) => {
      expect(await linked(command)).toBe('safe')
    },
  )

  it.each([
    'cat key',
    'cat notes key',
    'head out/x',
    'cat out/../y',
    'cat mail',
    'cat process',
    'cat system',
    'cat a*',
    'ls a*',
    'grep a* notes',
    'ps -ef',
    'ps aux',
    'diff folder notes',
  ])('S8: does not have `%s`, which a link may lead elsewhere', async (command) => {
    expect(await linked(command)).not.toBe('safe')
  })

  it.each(['cat ~/.ssh/id_rsa', 'cat ~/.netrc', 'grep x ~/.aws/credentials', 'cat ~/.s*/id_rsa', 'head ~/.npmrc'])(
    'S8: `%s` shows credentials, so it is asked for',
    async (command) => {
      expect(await riskOf(command)).toBe('sensitive')
    },
  )

  describe('beside hard links', () => {
    const place = (): { readonly options: InspectionOptions; readonly dir: string } => {
      const dir = realpathSync(mkdtempSync(join(tmpdir(), 'polylogue-test-')))
      onTestFinished(() => rmSync(dir, { recursive: true }))
      for (const folder of ['ws', 'data', 'home/.ssh']) mkdirSync(join(dir, folder), { recursive: true })
      for (const file of ['data/local.key', 'home/.ssh/id_rsa', 'plain']) writeFileSync(join(dir, file), '')
      linkSync(join(dir, 'data/local.key'), join(dir, 'ws/key'))
      linkSync(join(dir, 'home/.ssh/id_rsa'), join(dir, 'ws/login'))
      linkSync(join(dir, 'plain'), join(dir, 'ws/plain'))
      const home = join(dir, 'home')
      const set = createProtectedSet({ secret: [join(dir, 'data')], homes: [home] })
      const identify = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false })
      const cwd = join(dir, 'ws')
      return { dir, options: { cwd, roots: [cwd], home, view: set.look(), isConfined: false, identify } }
    }

    it.each(['cat key', 'head -n 1 ./key', 'grep x plain key', 'cp key other', 'python3 show.py < key'])(
      'S24: `%s` touches a file of the server',
      async (command) => {
        const { dir, options } = place()
        const { facts } = await inspectCommand(command, options)
        expect(facts).toMatchObject({ outside: join(dir, 'data/local.key') })
        expect(facts.risk).not.toBe('safe')
      },
    )

    it('S24: a credential is asked for by its own name, and another file is not', async () => {
      const { dir, options } = place()
      const { facts } = await inspectCommand('cat login', options)
      expect(facts).toMatchObject({ risk: 'sensitive', guarded: [join(dir, 'home/.ssh/id_rsa')] })
      expect((await inspectCommand('cat plain', options)).facts.risk).toBe('safe')
    })
  })
})
