import { describe, expect, it } from 'vitest'
import { inspectCommand } from './inspect-command.ts'

const hardlineOf = async (command: string) =>
  (await inspectCommand(command, { cwd: '/work/space', home: '/home/u' })).facts.hardline

/** What the floor holds, and a harmless twin of each. */
const FLOOR: readonly (readonly [what: string, hit: string, harmless: string])[] = [
  ['the root', 'rm -rf /', 'rm -rf ./build'],
  ['the root, spelled out', 'rm --recursive --force --no-preserve-root //', 'rm --recursive --force build'],
  ['the root, apart', 'rm -r -f -- /', 'rm -r -f -- -'],
  ['all in the root', 'rm -rf /*', 'rm -rf /tmp/*'],
  ['the root by dots', 'rm -rf /tmp/../', 'rm -rf /tmp/../tmp/x'],
  ['the root from here', 'rm -rf ../..', 'rm -rf ../x'],
  ['a system directory', 'rm -rf /etc', 'rm -rf /etc/nginx/old'],
  ['a system directory by a glob', 'rm -rf /et?', 'rm -rf /work/et?'],
  ['a system directory by braces', 'rm -rf /{usr,tmp}', 'rm -rf /tmp/{usr,etc}'],
  ['all in a system directory', 'rm -rf /usr/local/*', 'rm -rf /usr/local/x/*'],
  ['home', 'rm -rf ~', 'rm -rf ~/x'],
  ['home by its variable', 'rm -rf "$HOME"', 'rm -rf "$HOME/x"'],
  ['all in home', 'rm -rf ${HOME}/*', 'rm -rf ${HOME}/x/*'],
  ["somebody's home", 'rm -rf /home/ann', 'rm -rf /home/ann/x'],
  ['home of a user', 'rm -rf ~ann', 'rm -rf "~ann"'],
  ['without force', 'rm -r /etc', 'rm /etc/x'],
  ['after cd', 'cd / && rm -rf *', 'cd /tmp && rm -rf *'],
  ['after cd home', 'cd; rm -rf .', 'cd x; rm -rf .'],
  ['in a variable', 'X=/; rm -rf $X', 'X=/tmp/x; rm -rf $X'],
  ['options in a variable', 'X="-rf /"; rm $X', 'X="-rf /tmp/x"; rm $X'],
  ['in a loop', 'for d in /etc x; do rm -rf "$d"; done', 'for d in y x; do rm -rf "$d"; done'],
  ['as a default', 'rm -rf "${X:-/}"', 'rm -rf "${X:-x}"'],
  ['mkfs', 'mkfs.ext4 /dev/sda1', 'mkfs --help'],
  ['mkfs of a file', 'mkfs -t ext4 image', 'man mkfs'],
  ['dd to a device', 'dd if=x of=/dev/sda', 'dd if=/dev/sda of=x'],
  ['a redirect to a device', 'cat x > /dev/nvme0n1', 'cat x > /dev/null'],
  ['a redirect of a group', '{ cat x; } >> /dev/sdb', '{ cat x; } >> /dev/stdout'],
  ['tee to a device', 'cat x | tee /dev/sda', 'cat x | tee /dev/stderr'],
  ['cp to a device', 'cp image /dev/mmcblk0', 'cp /dev/mmcblk0 image'],
  ['shred', 'shred -n 1 /dev/sda', 'shred -u notes.txt'],
  ['wipefs', 'wipefs -a /dev/sda', 'wipefs /dev/sda'],
  ['blkdiscard', 'blkdiscard /dev/nvme0n1', 'blkdiscard --help'],
  ['fdisk', 'fdisk /dev/sda', 'fdisk -l /dev/sda'],
  ['parted', 'parted /dev/sda mklabel gpt', 'parted /dev/sda print'],
  ['sfdisk', 'sfdisk /dev/sda', 'sfdisk --dump /dev/sda'],
  ['sgdisk', 'sgdisk -Z /dev/sda', 'sgdisk -p /dev/sda'],
  ['a fork bomb', ':(){ :|:& };:', ':(){ echo; };:'],
  ['a named fork bomb', 'b() { b | b & }; b', 'b() { a | c & }; b'],
  ['a fork bomb in the background', 'function b { b & b & }; b', 'f() { f; }; f &'],
  ['kill -9 -1', 'kill -9 -1', 'kill -9 1234'],
  ['kill -HUP -1', 'kill -HUP -1', 'kill -HUP 1'],
  ['kill -s KILL -1', 'kill -s KILL -1', 'kill -1 1234'],
  ['kill -- -1', 'kill -- -1', 'kill -0 -1'],
  ['shutdown', 'shutdown -h now', 'shutdown -c'],
  ['reboot', 'reboot', 'echo reboot'],
  ['halt', 'halt -p', 'grep halt log'],
  ['poweroff', '/sbin/poweroff', 'poweroff --help'],
  ['init 0', 'init 0', 'npm init 0'],
  ['init 6', 'telinit 6', 'init 3'],
  ['systemctl power', 'systemctl -i reboot', 'systemctl status reboot.target'],
  ['cryptsetup', 'cryptsetup -q luksFormat x', 'cryptsetup status x'],
  ['diskutil', 'diskutil eraseDisk JHFS+ x disk2', 'diskutil list'],
  ['xargs rm -rf', 'ls | xargs rm -rf', 'ls | xargs rm'],
  ['xargs rm -rf, apart', 'ls | xargs -0 -n 1 rm -r --force', 'ls | xargs -0 -n 1 echo rm -rf'],
  ['a glob in braces', 'rm -rf /{,*}', 'rm -rf x/{,*}'],
  ['xargs of a shell', "ls | xargs -I{} sh -c 'rm -rf {}'", "ls | xargs -I{} sh -c 'rm {}'"],
  ['find with a shell', 'find / -exec sh -c \'rm -f "$1"\' _ {} \\;', 'find . -exec sh -c \'rm -f "$1"\' _ {} \\;'],
  ['find in home', 'find ~ -type f -delete', 'find ~ -name .DS_Store -delete'],
  ['find in the system by name', 'find /usr/lib -name x -delete', 'find ~/x -name x -delete'],
  ['find -delete', 'find / -name x -delete', 'find . -name x -delete'],
  ['find -exec rm -f', 'find /etc -exec rm -f {} +', 'find src -exec rm -f {} +'],
  ['find -exec rm without force', 'find / -exec rm {} +', 'find build -exec rm {} +'],
  ['find -execdir', 'find /usr -type f -execdir shred {} \\;', 'find . -type f -execdir shred {} \\;'],
  ['find that feeds xargs', 'find / -type f -print0 | xargs -0 rm', 'find . -type f -print0 | xargs -0 rm'],
  ['find that truncates', 'find /etc -exec truncate -s 0 {} +', 'find src -exec truncate -s 0 {} +'],
  ['find -delete in the root', 'find / -delete', 'find build -delete'],
  ['rsync from nothing', 'rsync -a --delete empty/ /', 'rsync -a --delete empty/ build/'],
  ['rsync, shortened', 'rsync -a --del empty/ /home/', 'rsync -a --del src/ dest/'],
  ['chmod of the root', 'chmod -R 000 /', 'chmod -R 755 build'],
  ['chmod, spelled out', 'chmod --recursive a-rwx /usr', 'chmod --recursive a+r docs'],
  ['chown of home', 'chown -R nobody ~', 'chown -R nobody ~/x'],
  ['chattr', 'chattr -R +i /', 'chattr +i notes'],
  ['sysrq', 'echo b > /proc/sysrq-trigger', 'cat /proc/sysrq-trigger.txt'],
  ['sysrq by tee', 'echo o | tee /proc/sysrq-trigger', 'echo o | tee sysrq-trigger'],
  ['sleep of the machine', 'echo mem > /sys/power/state', 'cat /sys/power/state'],
  ['mv of the root', 'mv / /tmp/x', 'mv a /tmp/x'],
  ['mv of all in the root', 'mv /* /dev/null', 'mv build/* /tmp'],
  ['mv of home', 'mv -t /tmp ~', 'mv -t ~ a'],
  ['truncate of a device', 'truncate -s 0 /dev/sda', 'truncate -s 0 log'],
  ['nothing into a device', '> /dev/sda', '> log'],
  ['dd by another name', 'dd if=/dev/zero bs=1M of=/dev/vda', 'dd if=/dev/zero of=image'],
  ['nvme', 'nvme format /dev/nvme0n1', 'nvme list'],
  ['hdparm', 'hdparm --security-erase p /dev/sda', 'hdparm -I /dev/sda'],
  ['zpool', 'zpool destroy tank', 'zpool status'],
  ['systemctl isolate', 'systemctl isolate poweroff.target', 'systemctl isolate multi-user.target'],
  ['find -exec rm in home', 'find ~ -type f -exec rm -rf {} \\;', 'find ~ -type f -exec ls {} \\;'],
]

describe('the hardline floor', () => {
  it.each(FLOOR)('acp 10.4: %s: not `%s`, but `%s`', async (_, hit, harmless) => {
    expect(await hardlineOf(hit)).toEqual(expect.any(String))
    expect(await hardlineOf(harmless)).toBeUndefined()
  })

  it('is where a link leads, if a slash says so', async () => {
    const follow = (path: string) => (path === '/work/space/link' ? '/' : path)
    const found = async (command: string) =>
      (await inspectCommand(command, { cwd: '/work/space', home: '/home/u', follow })).facts.hardline
    expect(await found('rm -rf link/')).toBeDefined()
    expect(await found('rm -rf link/*')).toBeDefined()
    expect(await found('chmod -R 000 link/')).toBeDefined()
    expect(await found('rm -rf link')).toBeUndefined()
    expect(await found('rm -rf build/')).toBeUndefined()
  })

  const WAYS: readonly ((command: string) => string)[] = [
    (command) => `sudo ${command}`,
    (command) => `sudo -u root -E -- ${command}`,
    (command) => `env A=1 ${command}`,
    (command) => `env -i -u X A=1 ${command}`,
    (command) => `env -S "${command}"`,
    (command) => `nice -n 5 ionice -c2 -n7 ${command}`,
    (command) => `timeout -k 1 --signal=KILL 5s ${command}`,
    (command) => `nohup setsid -f ${command} &`,
    (command) => `exec -a x ${command}`,
    (command) => `time -p ${command}`,
    (command) => `stdbuf -oL chroot / ${command}`,
    (command) => `doas ${command}`,
    (command) => `command ${command}`,
    (command) => `busybox ${command}`,
    (command) => `A=1 ${command}`,
    (command) => `$X ${command}`,
    (command) => `X=; sudo $X ${command}`,
    (command) => `{,} ${command}`,
    (command) => `$(true) ${command}`,
    (command) => `sh -c '${command}'`,
    (command) => `bash -lc "${command}"`,
    (command) => `/bin/bash -o pipefail -ec '${command}' x y`,
    (command) => `sudo sh -c "bash -c '${command}'"`,
    (command) => `bash <<< '${command}'`,
    (command) => `bash <<'E'\n${command}\nE`,
    (command) => `eval '${command}'`,
    (command) => `trap '${command}' EXIT`,
    (command) => `su root -c '${command}'`,
    (command) => `script -qc '${command}' x`,
    (command) => `flock x -c '${command}'`,
    (command) => `watch -n1 '${command}'`,
    (command) => `find . -exec ${command} \\;`,
    (command) => `ls | xargs ${command}`,
    (command) => `echo "$(${command})"`,
    (command) => `echo \`${command}\``,
    (command) => `diff <(${command}) x`,
    (command) => `(cd x; ${command})`,
    (command) => `{ ${command}; }`,
    (command) => `f() { ${command}; }; f`,
    (command) => `true && ! ${command} || false`,
    (command) => `if true; then ${command}; fi`,
    (command) => `while read x; do ${command}; done < list`,
    (command) => `case a in a) ${command};; esac`,
    (command) => `coproc ${command}`,
    (command) => `x=$(( 1 + $(${command}) ))`,
    (command) => `cat <<E\n$(${command})\nE`,
    (command) => `echo hello\n${command}`,
    (command) => command.replace(/^(.)/, '\\$1'),
    (command) => command.replace(/^(.)/, '$1""'),
    (command) => command.replace(/^(.)/, "'$1'"),
    (command) => command.replace(/^./, (first) => `$'\\x${first.charCodeAt(0).toString(16)}'`),
    (command) => command.replace(/^/, '/usr/bin/../bin/'),
    (command) => `${command} # harmless`,
    (command) => `${command} 2>/dev/null`,
  ]

  it.each(WAYS.map((way) => [way('rm -rf /'), way] as const))('acp 10.4: is found in `%s`', async (hit, way) => {
    expect(await hardlineOf(hit)).toBeDefined()
    expect(await hardlineOf(way('mkfs.ext4 x'))).toBeDefined()
    expect(await hardlineOf(way('ls -la x'))).toBeUndefined()
  })

  it.each([
    'echo "rm -rf /"',
    "echo 'rm -rf /' > notes.txt",
    'git commit -m "never rm -rf / again; reboot"',
    "grep -rn 'mkfs' docs",
    "cat <<'E' > a.md\nrm -rf /\nE",
    'cat > a.sh <<E\nshutdown now\nE',
    'printf "%s" "kill -9 -1"',
    'sudo echo rm -rf /',
    'timeout 5 grep rm -rf /',
    'python3 -c "print(\'rm -rf /\')"',
    '# rm -rf /',
    'ls rm -rf /',
  ])('acp 10.4: literal text is harmless: `%s`', async (command) => {
    expect(await hardlineOf(command)).toBeUndefined()
  })
})
