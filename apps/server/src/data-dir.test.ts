import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultDataDir, prepareDataDir } from './data-dir.ts'
import { makeTempDir } from './test-support/temp-dir.ts'

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe('the default data directory', () => {
  it('is the one that POLYLOGUE_DATA names', () => {
    expect(defaultDataDir({ POLYLOGUE_DATA: '/srv/data' }, '/work')).toBe('/srv/data')
    expect(defaultDataDir({ POLYLOGUE_DATA: 'data' }, '/work')).toBe('/work/data')
  })

  it('is .polylogue here, if it exists', () => {
    const here = makeTempDir()
    mkdirSync(join(here, '.polylogue'))
    expect(defaultDataDir({ POLYLOGUE_DATA: '', HOME: '/home/anna' }, here)).toBe(join(here, '.polylogue'))
  })

  it("is the checkout's or the user's otherwise", () => {
    const found = defaultDataDir({ HOME: '/home/anna' }, makeTempDir())
    const checkout = join(import.meta.dirname, '../../..', '.polylogue')
    expect([checkout, '/home/anna/.polylogue']).toContain(found)
  })
})

describe('preparing the data directory', () => {
  it('makes it, for its owner alone', () => {
    const path = join(makeTempDir(), 'a/b')
    prepareDataDir(path)
    expect(modeOf(path)).toBe('700')
  })

  it('closes an empty one, and one that we created, to other users', () => {
    const path = join(makeTempDir(), 'data')
    mkdirSync(path)
    chmodSync(path, 0o755)
    prepareDataDir(path)
    expect(modeOf(path)).toBe('700')
    writeFileSync(join(path, 'owner.lock'), '')
    chmodSync(path, 0o750)
    prepareDataDir(path)
    expect(modeOf(path)).toBe('700')
  })

  it('leaves a shared directory with other things in it alone, and says what to type', () => {
    const path = join(makeTempDir(), 'my project')
    mkdirSync(path)
    chmodSync(path, 0o755)
    writeFileSync(join(path, 'README.md'), '')
    expect(() => prepareDataDir(path)).toThrow(`chmod 700 '${path}'`)
    expect(modeOf(path)).toBe('755')
  })

  it('refuses a path that cannot be one', () => {
    const file = join(makeTempDir(), 'file')
    writeFileSync(file, '')
    // In /proc, Node's own way of making folders would try for ever.
    for (const path of [file, join(file, 'below'), '/proc/nowhere', '/proc/nowhere/below']) {
      expect(() => prepareDataDir(path)).toThrow(/cannot be made. Choose another with --data/)
    }
  })
})
