import { describe, expect, it } from 'vitest'
import { buildCommandArgv } from '../bash/command-argv.ts'
import { type Mount, buildSandboxArgv } from './sandbox-argv.ts'

const argvOf = (mounts: readonly Mount[], network = false): readonly string[] =>
  buildSandboxArgv({ cwd: '/w/a', mounts, network })

const OPTIONS: ReadonlySet<string> = new Set(
  '--bind --bind-fd --ro-bind-try --ro-bind-fd --tmpfs --symlink --ro-bind --remount-ro'.split(' '),
)

/** The mounts in order, each with its kind and path. */
function mountsOf(argv: readonly string[]): readonly string[] {
  const from = argv.lastIndexOf('/proc/sysrq-trigger') + 1
  return argv.slice(from).flatMap((arg, index, all) => {
    if (!OPTIONS.has(arg)) return []
    const hasSource = arg !== '--tmpfs' && arg !== '--remount-ro'
    return [`${arg} ${all[index + (hasSource ? 2 : 1)]}`]
  })
}

describe('the arguments of the sandbox', () => {
  it('start from an empty root, and cut off processes, network and privileges', () => {
    const argv = argvOf([{ type: 'write', path: '/w/a', fd: 3 }])
    expect(argv.slice(0, 2)).toEqual(['--dev', '/dev'])
    expect(mountsOf(argv)).toEqual(['--bind-fd /w/a', '--remount-ro /'])
    expect(argv).toEqual(
      expect.arrayContaining(['--unshare-net', '--unshare-pid', '--die-with-parent', '--new-session', '--cap-drop']),
    )
    expect(argv.slice(-2)).toEqual(['--chdir', '/w/a'])
  })

  it('leave the network on request', () => {
    expect(argvOf([], true)).not.toContain('--unshare-net')
  })

  it('mount by descriptor where there is one, and else by name', () => {
    expect(argvOf([{ type: 'write', path: '/w', fd: 3 }]).join(' ')).toContain('--bind-fd 3 /w')
    expect(argvOf([{ type: 'write', path: '/w' }]).join(' ')).toContain('--bind /w /w')
    expect(argvOf([{ type: 'read', path: '/r', fd: 4 }]).join(' ')).toContain('--ro-bind-fd 4 /r')
    expect(argvOf([{ type: 'link', path: '/bin', target: 'usr/bin' }]).join(' ')).toContain('--symlink usr/bin /bin')
  })

  it.each<[string, readonly Mount[], readonly string[]]>([
    [
      'a workspace in a hidden folder',
      [
        { type: 'write', path: '/w/a' },
        { type: 'hidden', path: '/w', isFolder: true },
      ],
      ['--tmpfs /w', '--bind /w/a', '--remount-ro /w', '--remount-ro /'],
    ],
    [
      'a hidden folder in a workspace, with a folder to read in it',
      [
        { type: 'read', path: '/w/a/.data/out' },
        { type: 'hidden', path: '/w/a/.data', isFolder: true },
        { type: 'write', path: '/w/a' },
      ],
      [
        '--bind /w/a',
        '--tmpfs /w/a/.data',
        '--ro-bind-try /w/a/.data/out',
        '--remount-ro /w/a/.data',
        '--remount-ro /',
      ],
    ],
    [
      'a hidden file',
      [
        { type: 'hidden', path: '/w/key', isFolder: false },
        { type: 'write', path: '/w' },
      ],
      ['--bind /w', '--ro-bind /w/key', '--remount-ro /'],
    ],
    [
      'a workspace in a home directory of its own',
      [
        { type: 'write', path: '/home/u' },
        { type: 'scratch', path: '/home/u' },
      ],
      ['--tmpfs /home/u', '--bind /home/u', '--remount-ro /'],
    ],
  ])('mount outer folders first: %s', (_, mounts, expected) => {
    expect(mountsOf(argvOf(mounts))).toEqual(expected)
  })

  it('keep the machine writable where it is the workspace', () => {
    const argv = argvOf([{ type: 'write', path: '/', fd: 3 }])
    expect(argv.slice(0, 3)).toEqual(['--bind-fd', '3', '/'])
    expect(argv.flatMap((word, index) => (argv[index - 1] === '--remount-ro' ? [word] : []))).toEqual(['/dev'])
  })
})

describe('the arguments of a command', () => {
  it.each(['ls', ' ls', '-x', '+x', 'a\nb', '"$@"'])('C16: end with exactly `%s`', (command) => {
    const plain = buildCommandArgv(command, '/bin/bash')
    const boxed = buildCommandArgv(command, '/bin/bash', { sandbox: { file: 'bwrap', args: ['--x'] } })
    const checked = buildCommandArgv(command, '/bin/bash', {
      sandbox: { file: 'bwrap', args: ['--x'], expected: [{ path: '/w', identity: '1:2' }] },
    })
    expect([plain, boxed, checked].map(({ args }) => args.at(-1))).toEqual([command, command, command])
    expect([plain.file, boxed.file, checked.file]).toEqual(['/bin/sh', '/bin/sh', '/bin/sh'])
    expect(boxed.args).toContain('bwrap')
    expect(plain.args.includes('--')).toBe(/^[-+]/.test(command))
  })
})
