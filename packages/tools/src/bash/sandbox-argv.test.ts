import { describe, expect, it } from 'vitest'
import { buildCommandArgv } from './command-argv.ts'
import { type SandboxPlan, buildSandboxArgv } from './sandbox-argv.ts'

const plan: SandboxPlan = { cwd: '/w/a', writable: [{ path: '/w/a' }, { path: '/w/b' }], readable: [], hidden: [], network: false }

/** The mounts of folders of ours, in order. */
function mountsOf(argv: readonly string[]): readonly string[] {
  const from = argv.indexOf('/proc/sysrq-trigger') + 2
  return argv
    .slice(
      from,
      argv.findIndex((arg) => arg.startsWith('--unshare')),
    )
    .filter((_, index, all) => all[index - 1] !== all[index])
}

describe('the arguments of the sandbox', () => {
  it('make everything read-only but the workspace, and cut off processes, network and privileges', () => {
    const argv = buildSandboxArgv(plan)
    expect(argv.slice(0, 3)).toEqual(['--ro-bind', '/', '/'])
    expect(mountsOf(argv)).toEqual(['--bind', '/w/a', '--bind', '/w/b'])
    expect(argv).toEqual(
      expect.arrayContaining(['--unshare-net', '--unshare-pid', '--die-with-parent', '--new-session', '--cap-drop']),
    )
    expect(argv.slice(-2)).toEqual(['--chdir', '/w/a'])
  })

  it('leave the network when told so', () => {
    expect(buildSandboxArgv({ ...plan, network: true })).not.toContain('--unshare-net')
  })

  it.each<[string, Partial<SandboxPlan>, readonly string[]]>([
    ['a workspace in a hidden folder', { hidden: ['/w'], writable: [{ path: '/w/a' }] }, ['--tmpfs', '/w', '--bind', '/w/a']],
    [
      'a hidden folder in a workspace',
      { hidden: ['/w/a/.data'], writable: [{ path: '/w/a' }] },
      ['--bind', '/w/a', '--tmpfs', '/w/a/.data'],
    ],
    [
      'a folder to read in a hidden one, in a workspace',
      { hidden: ['/w/a/.data'], writable: [{ path: '/w/a' }], readable: ['/w/a/.data/out'] },
      ['--bind', '/w/a', '--tmpfs', '/w/a/.data', '--ro-bind-try', '/w/a/.data/out'],
    ],
    ['a workspace that is hidden', { hidden: ['/w/a'], writable: [{ path: '/w/a' }] }, ['--tmpfs', '/w/a', '--bind', '/w/a']],
  ])('mount outer folders first: %s', (_, changed, expected) => {
    expect(mountsOf(buildSandboxArgv({ ...plan, ...changed }))).toEqual(expected)
  })
})

describe('the arguments of a command', () => {
  it.each(['ls', ' ls', '-x', '+x', 'a\nb', '"$@"'])('C16: end with exactly `%s`', (command) => {
    const plain = buildCommandArgv(command, '/bin/bash')
    const boxed = buildCommandArgv(command, '/bin/bash', { file: 'bwrap', args: ['--x'] })
    expect([plain.args.at(-1), boxed.args.at(-1)]).toEqual([command, command])
    expect([plain.file, boxed.file, boxed.args[0]]).toEqual(['/bin/sh', 'bwrap', '--x'])
    expect(plain.args.includes('--')).toBe(/^[-+]/.test(command))
  })
})
