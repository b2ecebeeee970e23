import { describe, expect, it } from 'vitest'
import { hasFileModes, ownerAddressOf, replaceBy, stopSignals, userFolder } from './host.ts'

const failing = (code: string): Error => Object.assign(new Error(code), { code })

describe('where the owner of a data directory listens', () => {
  it.each(['linux', 'darwin'] as const)('is a socket in it on %s', (system) => {
    expect(ownerAddressOf('/home/ada/.polylogue', system)).toEqual({
      path: '/home/ada/.polylogue/polylogue.sock',
      isFile: true,
    })
  })

  it('is a named pipe on Windows, the same for every spelling of the directory', () => {
    const spellings = ['C:\\Users\\Ada\\.polylogue', 'c:\\users\\ada\\.POLYLOGUE\\', 'C:/Users/Ada/x/../.polylogue']
    const addresses = spellings.map((path) => ownerAddressOf(path, 'win32'))
    expect(new Set(addresses.map(({ path }) => path)).size).toBe(1)
    expect(addresses[0]).toEqual({
      path: expect.stringMatching(/^\\\\\.\\pipe\\polylogue-[0-9a-f]{32}$/),
      isFile: false,
    })
    expect(ownerAddressOf('C:\\Users\\Ben\\.polylogue', 'win32')).not.toEqual(addresses[0])
  })
})

describe('the folder of the user', () => {
  it.each([
    ['linux', { HOME: '/home/ada' }, '/home/ada'],
    ['darwin', { HOME: '/Users/ada' }, '/Users/ada'],
    ['darwin', {}, 'HOME-OF-THE-SYSTEM'],
    ['win32', { HOME: '/c/Users/ada', USERPROFILE: 'C:\\Users\\ada' }, 'C:\\Users\\ada'],
    ['win32', { HOME: '/c/Users/ada' }, 'HOME-OF-THE-SYSTEM'],
  ] as const)('on %s with %j is %s', (system, env, folder) => {
    expect(userFolder(env, { home: 'HOME-OF-THE-SYSTEM', system })).toBe(folder)
  })
})

describe('a file that replaces another', () => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])('waits on Windows while the other is held: %s', (code) => {
    const pauses: number[] = []
    const outcomes = [failing(code), failing(code)]
    const renamed: string[][] = []
    const rename = (...names: string[]): void => {
      const failure = outcomes.shift()
      if (failure) throw failure
      renamed.push(names)
    }
    replaceBy('a.new', 'a', { system: 'win32', rename, pause: (ms) => pauses.push(ms) })
    expect([renamed, pauses.length]).toEqual([[['a.new', 'a']], 2])
  })

  it('gives up after a second, and at once for another reason or elsewhere', () => {
    const tries = (system: NodeJS.Platform, code: string): number => {
      let count = 0
      const rename = (): never => {
        count += 1
        throw failing(code)
      }
      expect(() => replaceBy('a.new', 'a', { system, rename, pause: () => undefined })).toThrow(code)
      return count
    }
    expect([
      tries('win32', 'EPERM'),
      tries('win32', 'ENOSPC'),
      tries('linux', 'EPERM'),
      tries('darwin', 'EACCES'),
    ]).toEqual([20, 1, 1, 1])
  })
})

describe('other systems', () => {
  it('have file modes, except on Windows, which has its own signals', () => {
    expect((['linux', 'darwin', 'win32'] as const).map((system) => hasFileModes(system))).toEqual([true, true, false])
    expect(stopSignals('darwin')).toEqual(['SIGINT', 'SIGTERM'])
    expect(stopSignals('win32')).toEqual(['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'])
  })
})
