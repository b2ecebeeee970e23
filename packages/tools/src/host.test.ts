import { describe, expect, it } from 'vitest'
import { passedNames } from './bash/clean-environment.ts'
import { canSyncFolders, hasUnixShell, killWithChildren, renamePatiently, toProgram } from './host.ts'

const failure = (code: string): Error => Object.assign(new Error(code), { code })

describe('a program', () => {
  const npx = { command: 'npx', args: ['-y', 'server', 'C:\\my files\\', 'say "hi" & 100%'] }

  it('starts as it is, where the system starts scripts', () => {
    expect(toProgram(npx, 'linux')).toEqual({ file: 'npx', args: npx.args, isVerbatim: false })
    const exe = { command: 'C:\\Program Files\\nodejs\\node.exe', args: ['a b'] }
    expect(toProgram(exe, 'win32')).toEqual({ file: exe.command, args: exe.args, isVerbatim: false })
  })

  it('starts through the command interpreter of Windows, with arguments that it does not interpret', () => {
    expect(toProgram(npx, 'win32')).toEqual({
      file: 'cmd.exe',
      args: ['/d', '/s', '/c', String.raw`"npx ^"-y^" ^"server^" ^"C:\my^ files\\^" ^"say^ \^"hi\^"^ ^&^ 100^%^""`],
      isVerbatim: true,
    })
    expect(toProgram({ command: 'C:\\My Tools\\run.cmd', args: [] }, 'win32').args.at(-1)).toBe(
      String.raw`"C:\My^ Tools\run.cmd"`,
    )
  })
})

describe('a rename', () => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])(
    'is tried again on Windows while a scanner holds the file: %s',
    async (code) => {
      const pauses: number[] = []
      let failures = 3
      await renamePatiently('a', 'b', {
        system: 'win32',
        rename: () => (failures-- > 0 ? Promise.reject(failure(code)) : Promise.resolve()),
        pause: (ms) => Promise.resolve(pauses.push(ms)),
      })
      expect(pauses).toEqual([50, 50, 50])
    },
  )

  it.each([
    ['win32', 'EPERM', 20],
    ['win32', 'ENOENT', 1],
    ['linux', 'EPERM', 1],
  ] as const)('fails on %s for good with %s after %i attempts', async (system, code, attempts) => {
    let tried = 0
    const renaming = renamePatiently('a', 'b', {
      system,
      rename: () => {
        tried++
        return Promise.reject(failure(code))
      },
      pause: () => Promise.resolve(),
    })
    await expect(renaming).rejects.toMatchObject({ code })
    expect(tried).toBe(attempts)
  })
})

it('kills a group by a signal where there are signals, and forgives one that has ended', () => {
  const sent: unknown[] = []
  killWithChildren(7, { system: 'darwin', send: (...call) => void sent.push(call) })
  expect(sent).toEqual([[-7, 'SIGKILL']])
  const gone = () => {
    throw failure('ESRCH')
  }
  expect(() => killWithChildren(7, { system: 'linux', send: gone })).not.toThrow()
})

it('knows what Windows lacks', () => {
  expect([hasUnixShell('win32'), canSyncFolders('win32')]).toEqual([false, false])
  expect([hasUnixShell('darwin'), canSyncFolders('darwin')]).toEqual([true, true])
})

it('passes on what programs of Windows need to start, in any case, and no secret', () => {
  const passed = (name: string): boolean => passedNames('win32').test(name)
  expect(
    ['Path', 'SystemRoot', 'ComSpec', 'PATHEXT', 'ProgramFiles(x86)', 'TEMP'].filter((name) => !passed(name)),
  ).toEqual([])
  expect(['OPENAI_API_KEY', 'PATHS', 'AWS_SECRET_ACCESS_KEY', 'XPATH'].filter(passed)).toEqual([])
  expect(['PATH', 'Path', 'SystemRoot'].filter((name) => passedNames('linux').test(name))).toEqual(['PATH'])
})
