import { describe, expect, it } from 'vitest'
import { inspectCommand } from './inspect-command.ts'

const riskOf = async (command: string, hidden: readonly string[] = []) =>
  (await inspectCommand(command, { cwd: '/work/space', home: '/home/u', hidden })).risk

/** Each entry of the list, and the same with what takes it off. */
const ENTRIES: readonly (readonly [safe: string, ...unsafe: string[]])[] = [
  ['git status', 'git status; id', 'git -C /x status', 'git --git-dir=x status'],
  ['git status --short --branch', 'git status > x', 'git -c core.fsmonitor=./x status'],
  ['git log --oneline -n 5', 'git log --output=x', 'git log --outpu x', 'git log "--output" x', 'git log *'],
  ['git log --others', 'git log --ext-diff -p', 'git log --ext -p', 'git log --show-signature', 'git log --format=%GG'],
  ['git diff HEAD~1 -- src', 'git diff --output=x', "git diff '--output=x'", 'git diff {--output=x,y}', 'git difftool'],
  ['git diff --no-index a b', 'git diff --textconv', 'git diff --help', 'git diff [-]-output=x'],
  ['git show HEAD:src/a.ts', 'git show $X', 'git show `id`', 'git show --ext-diff'],
  ['git stash list', 'git stash', 'git stash pop', 'git stash list --output=x', 'git stash drop'],
  ['git shortlog -sn', 'git shortlog --output=x', 'git shortlog | sh'],
  ['git describe --tags', 'git describe & id'],
  ['git blame a.ts', 'git blame --output=x', 'git bisect run ./x'],
  ['git ls-files', 'git ls-files > x'],
  ['git ls-tree HEAD', 'git ls-remote ext::sh'],
  ['git rev-parse HEAD', 'git rev-parse $(id)'],
  ['git config --get user.name', 'git config user.name x', 'git config --get --edit', 'git config --unset user.name'],
  ['git config --get --global user.name', 'git config --global --get user.name', 'git config --get --file=x --add a b'],
  ['ls -la src', './ls', '/bin/ls', 'l""s', '\\ls', 'FOO=1 ls', 'ls\nid', 'ls & id', 'ls\r', 'ls <x', '! ls', '(ls)'],
  ['ls *', 'ls $HOME', 'ls ${X}', 'ls `id`', 'ls >x', 'ls |cat', '{ ls; }', 'ls &', 'time ls', 'command ls'],
  ['cat a b', 'cat /proc/1/environ', 'cat /proc/*/environ', 'cat ../../proc/self/environ', 'cat /dev/sda', 'cat <(id)'],
  ['echo hello', 'echo $SECRET', 'echo hello >x', 'echo `id`', 'echo a;id', 'echo "$(id)"', "echo $'a'"],
  ['echo "rm -rf /"', 'echo "a" | sh', 'echo a\necho b'],
  ['pwd', 'pwd && id', 'env pwd'],
  ['which node', 'which node || id', 'whichever'],
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
  ['head -n 5 a', 'head -n 5 a > b', 'heads'],
  ['tail -f a', 'tail -f a | tee b', 'tail -n 1 /proc/1/environ'],
  ['wc -l a', 'wc -l a &> b', 'wc --files0-from=/proc/1/environ'],
  ['diff a b', 'diff -l a b', 'diff -ul a b', 'diff --paginate a b', 'diff --pag a b', 'diff * b'],
  ['grep -rn "a b" src', 'grep a b | sh', 'grep -r KEY /proc', 'grep a `id`', 'egrep a b', 'grep $(id) a'],
  ['du -sh .', 'du -sh . ; id'],
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
  ])('acp 10.3: does not have `%s`, however harmless', async (command) => {
    expect(await riskOf(command)).toBe('other')
  })

  const hidden = ['/data', '/work/space/.polylogue']
  it.each([
    'cat /data/local.key',
    'cat ../../data/local.key',
    'cat /data/*/x',
    'cat /d*/local.key',
    'cat .poly*/local.key',
    'cat .polylogue/local.key',
    'grep -r sk- /',
    'grep -rn sk- .',
    'grep -R sk-',
    'diff -r / x',
    'git diff --no-index / x',
    'ls /data',
    'grep --file=/data/local.key a',
    'grep -f/data/local.key a',
  ])('S8: does not have `%s` where a folder is hidden', async (command) => {
    expect(await riskOf(command, hidden)).toBe('other')
    expect(await riskOf(command)).toBe('safe')
  })

  it.each([
    'ls',
    'ls .',
    'ls *',
    'cat *',
    'cat a/*',
    'grep sk- a',
    'ls ..',
    'ls /',
    'git status',
    'du -sh .',
    'grep -r x src',
  ])('S8: has `%s` all the same', async (command) => {
    expect(await riskOf(command, hidden)).toBe('safe')
  })

  it('S8: has what is in a workspace within a hidden folder', async () => {
    const options = { cwd: '/data/sessions/a', home: '/home/u', hidden: ['/data'], roots: ['/data/sessions/a'] }
    expect((await inspectCommand('cat notes.txt', options)).risk).toBe('safe')
    expect((await inspectCommand('cat ../b/notes.txt', options)).risk).toBe('other')
    expect((await inspectCommand('cat ../../local.key', options)).risk).toBe('other')
  })

  const links: Readonly<Record<string, string>> = {
    '/work/space/notes': '/work/space/notes',
    '/work/space/key': '/data/local.key',
    '/work/space/out/x': '/data/x',
    '/work/space/out/../y': '/y',
    '/work/space/out/../data/y': '/data/y',
    '/work/space/mail': '/home/u/.netrc',
    '/work/space/process': '/proc/1/environ',
  }
  const linkedRisk = async (command: string) =>
    (
      await inspectCommand(command, {
        cwd: '/work/space',
        home: '/home/u',
        hidden: ['/data'],
        roots: ['/work/space'],
        follow: (path) => links[path],
      })
    ).risk

  it.each(['cat notes', 'cat absent', 'cat out/../y', 'grep -r x notes', 'ls'])(
    'S8: has `%s` where links are looked at',
    async (command) => {
      expect(await linkedRisk(command)).toBe('safe')
    },
  )

  it.each([
    'cat key',
    'cat notes key',
    'head out/x',
    'cat out/../data/y',
    'cat mail',
    'cat process',
    'grep --file=key a',
    'cat *',
    'grep -R x notes',
    'grep --dereference-recursive x notes',
    'diff -r notes notes',
  ])('S8: does not have `%s`, which a link may lead elsewhere', async (command) => {
    expect(await linkedRisk(command)).toBe('other')
  })

  it.each(['cat ~/.ssh/id_rsa', 'cat ~/.netrc', 'grep x ~/.aws/credentials', 'cat ~/.s*/id_rsa', 'head ~/.npmrc'])(
    'S8: does not have `%s`, which shows credentials',
    async (command) => {
      expect(await riskOf(command)).toBe('other')
    },
  )
})
