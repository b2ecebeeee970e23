import { describe, expect, it } from 'vitest'
import { inspectCommand } from './inspect-command.ts'

const hardlineOf = async (command: string) =>
  (await inspectCommand(command, { cwd: '/work/space', home: '/home/u' })).facts.hardline

/** Programs that run what they are given, whether they are known to or not, and other spellings of what they do. */
const FLOOR: readonly (readonly [what: string, hit: string, harmless: string])[] = [
  ['a runner that nobody knows', 'run-it --fast rm -rf /', 'run-it --fast rm -rf build'],
  ['a loader', '/lib64/ld-linux-x86-64.so.2 /bin/rm -rf /', '/lib64/ld-linux-x86-64.so.2 /bin/rm -rf x'],
  ['valgrind', 'valgrind rm -rf /', 'valgrind rm -rf build'],
  ['npm exec', 'npm exec -- rm -rf /', 'npm exec -- rm -rf build'],
  ['npx with a text', "npx -c 'rm -rf /'", "npx -c 'rm -rf build'"],
  ['a terminal', "tmux new -d 'rm -rf /'", "tmux new -d 'rm -rf build'"],
  ['a stopwatch', "hyperfine 'rm -rf /'", "hyperfine 'rm -rf build'"],
  ['parallel', "parallel 'rm -rf {}' ::: /", "parallel 'rm -rf {}' ::: build"],
  ['su with a value', "su root --command='rm -rf /'", "su root --command='rm -rf build'"],
  ['an editor', "vim -c '!rm -rf /' -c q", "vim -c '!rm -rf build' -c q"],
  ['an editor by its input', "ed -s <<< '!rm -rf /'", "ed -s <<< '!rm -rf build'"],
  ['a debugger', "gdb -ex 'shell rm -rf /'", "gdb -ex 'shell rm -rf build'"],
  ['make', "make --eval='x:;rm -rf /'", "make --eval='x:;rm -rf build'"],
  ['make by its input', "make -f - <<< 'x:;rm -rf /'", "make -f - <<< 'x:;rm -rf build'"],
  ['tar', "tar xf x --to-command='rm -rf /'", "tar xf x --to-command='rm -rf build'"],
  [
    'tar at a checkpoint',
    "tar cf x --checkpoint-action=exec='rm -rf /' y",
    "tar cf x --checkpoint-action=exec='ls /' y",
  ],
  ['a command of sed', "sed '1e rm -rf /' x", "sed '1e rm -rf build' x"],
  ['a replacement of sed', String.raw`sed 's/x/rm -rf \//e' x`, String.raw`sed 's/x/rm -rf \//' x`],
  ['an alias of Git', "git -c alias.x='!rm -rf /' x", "git -c alias.x='!rm -rf build' x"],
  ['a rebase', "git rebase -x 'rm -rf /' main", "git rebase -x 'rm -rf build' main"],
  ['a bisection', 'git bisect run rm -rf /', 'git bisect run rm -rf build'],
  ['submodules', "git submodule foreach 'rm -rf /'", "git submodule foreach 'rm -rf build'"],
  ['awk that reads', `awk 'BEGIN{"rm -rf /" | getline}'`, `awk 'BEGIN{"ls /" | getline}'`],
  ['awk that writes', `awk 'BEGIN{print "x" | "rm -rf /"}'`, `awk 'BEGIN{print "x" | "sort"}'`],
  ['awk with a variable', `awk -v x=1 'BEGIN{system("rm -rf /")}'`, `awk -v x=1 'BEGIN{system("ls /")}'`],
  [
    'an attached program',
    `python3 -c'import shutil;shutil.rmtree("/")'`,
    `python3 -c'import shutil;shutil.rmtree("x")'`,
  ],
  ['a named argument', `python3 -c "shutil.rmtree(path='/')"`, `python3 -c "shutil.rmtree(path='x')"`],
  ['a raw text', `python3 -c "shutil.rmtree(r'/')"`, `python3 -c "shutil.rmtree(r'x')"`],
  ['three quotes', `python3 -c "shutil.rmtree('''/''')"`, `python3 -c "shutil.rmtree('''x''')"`],
  ['a path object', `python3 -c "shutil.rmtree(pathlib.Path('/'))"`, `python3 -c "shutil.rmtree(pathlib.Path('x'))"`],
  ['a promise', `node -e 'fs.promises.rm("/",{recursive:true})'`, `node -e 'fs.promises.rm("x",{recursive:true})'`],
  ['an option with a value', `node --eval='fs.rmSync("/",{recursive:true})'`, `node --eval='fs.rmSync("x")'`],
  ['a computed name', `node -e 'fs["rmSync"]("/",{})'`, `node -e 'fs["rmSync"]("x",{})'`],
  ['quotes of Perl', "perl -e 'system q{rm -rf /}'", "perl -e 'system q{rm -rf build}'"],
  ['words of Perl', "perl -e 'system qw(rm -rf /)'", "perl -e 'system qw(rm -rf build)'"],
  ['a text of Ruby', "ruby -e '%x(rm -rf /)'", "ruby -e '%x(rm -rf build)'"],
  ['remove_dir', `ruby -e "FileUtils.remove_dir '/'"`, `ruby -e "FileUtils.remove_dir 'x'"`],
  ['a fork bomb in Perl', "perl -e 'fork while 1'", "perl -e 'fork'"],
  ['a fork bomb in a loop', 'ruby -e "loop { fork }"', 'ruby -e "loop { break }"'],
  ['the root of a process', 'rm -rf /proc/self/root', 'rm -rf /proc/self/root/tmp/x'],
  ['a part of it', 'rm -rf /proc/1/task/1/root/etc', 'rm -rf /proc/1/task/1/root/tmp/x'],
  ['its directory', 'rm -rf /proc/self/cwd/../../etc', 'rm -rf /proc/self/cwd/build'],
  ['all in a system directory, not recursive', 'rm -f /etc/*', 'rm -f /tmp/*'],
  ['truncating all of it', 'truncate -s 0 /etc/*', 'truncate -s 0 log/*'],
  ['mv into a folder, shortened', 'mv --target=/tmp /etc', 'mv --target=/tmp x'],
  ['zip that moves', 'zip -rm x.zip /etc', 'zip -r x.zip /etc'],
  ['fd', 'fd . / -x rm', 'fd . src -x rm'],
  ['find that writes to a device', 'find . -fprintf /dev/sda x', 'find . -fprintf list x'],
  ['mkdosfs', 'mkdosfs /dev/sda1', 'mkdosfs --help'],
  ['a pool over a disk', 'zpool create x /dev/sda', 'zpool status'],
  ['parted that changes and prints', 'parted -s /dev/sda rm 1 print', 'parted -s /dev/sda unit s print'],
  ['the last key of a disk', 'cryptsetup luksRemoveKey /dev/sda', 'cryptsetup luksDump /dev/sda'],
  ['dc3dd', 'dc3dd wipe=/dev/sda', 'dc3dd if=/dev/sda of=x'],
  ['sg_format', 'sg_format --format /dev/sda', 'sg_format --help'],
  ['one user', 'init 1', 'init 3'],
  ['sleep for ever', 'rtcwake -m off -s 60', 'rtcwake -m show'],
  ['kexec with two letters', 'kexec -ef', 'kexec --help'],
  ['skill', 'skill -KILL -u root', 'skill -STOP 1234'],
]

describe('commands of other programs', () => {
  it.each(FLOOR)('are on the floor: %s', async (_, hit, harmless) => {
    expect([hit, await hardlineOf(hit)]).toEqual([hit, expect.any(String)])
    expect([harmless, await hardlineOf(harmless)]).toEqual([harmless, undefined])
  })

  it.each([
    'npm test -- --grep "rm -rf /"',
    `git commit -m "system('rm -rf /')"`,
    'gh pr create --body "rm -rf / is bad"',
    'docker run --rm image rm -rf /',
    'make reboot',
    'virsh reboot x',
    'vagrant halt',
    `python3 -c "x.remove('/')"`,
    `node -e "console.log(fs.readdirSync('/'))"`,
    'sed -n "/e rm/p" x',
  ])('are not taken for commands when they are texts: %s', async (command) => {
    expect(await hardlineOf(command)).toBeUndefined()
  })

  const PROGRAMS = ["python3 -c '", "awk '", "sed '", "make --eval='", "vim -c '", "foo '", 'foo ']
  const PIECES = ['run(', 'rm(a=', 'q(', '"', '\\"', 'while ', 's/x/', 'rm rm ', 'sh -c ', 'find / ', ';e ', 'x|']

  it.each(PROGRAMS)('are looked for in bounded time after `%s`', async (program) => {
    for (const piece of PIECES) {
      const isQuoted = program.endsWith("'")
      const text = isQuoted ? piece : piece.replaceAll(/["\\|()]/g, 'x')
      const before = process.threadCpuUsage()
      await hardlineOf(program + text.repeat(Math.floor(60_000 / text.length)) + (isQuoted ? "'" : ''))
      const { user, system } = process.threadCpuUsage(before)
      expect([piece, (user + system) / 1e6 < 1.5]).toEqual([piece, true])
    }
  })
})
