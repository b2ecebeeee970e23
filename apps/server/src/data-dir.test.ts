import { chmodSync, cpSync, mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dataDirHere, defaultDataDir, prepareDataDir } from './data-dir.ts'
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

describe('a data directory in the current folder', () => {
  const inFolder = (): { here: string; path: string } => {
    const here = makeTempDir()
    return { here, path: join(here, '.polylogue') }
  }
  const bothFor = (here: string) => [() => defaultDataDir({}, here), () => dataDirHere({}, here)]

  it('is used when it was made there, wherever the folder is moved to', () => {
    const { here, path } = inFolder()
    prepareDataDir(path)
    writeFileSync(join(path, 'polylogue.db'), '')
    for (const find of bothFor(here)) expect(find()).toBe(path)
    const moved = join(makeTempDir(), 'moved')
    renameSync(here, moved)
    for (const find of bothFor(moved)) expect(find()).toBe(join(moved, '.polylogue'))
  })

  it.each([
    ['a repository', (path: string) => mkdirSync(path)],
    ['a copy of one that was made elsewhere', (path: string) => cpSync(preparedElsewhere(), path, { recursive: true })],
    ['a link to such a copy', (path: string) => symlinkSync(copied(), path)],
  ])('is refused when it came with %s, until it is named once', (_, plant) => {
    const { here, path } = inFolder()
    plant(path)
    for (const name of ['owner.lock', 'polylogue.db']) writeFileSync(join(path, name), '')
    for (const find of bothFor(here))
      expect(find).toThrow(`${path} was not made here: it came with the folder, or is a copy.`)
    expect(defaultDataDir({ POLYLOGUE_DATA: '.polylogue' }, here)).toBe(path)
    prepareDataDir(path)
    for (const find of bothFor(here)) expect(find()).toBe(path)
  })

  it('is refused when the note of its place is a link or long', () => {
    for (const note of ['link', 'long']) {
      const { here, path } = inFolder()
      mkdirSync(path)
      writeFileSync(join(path, 'polylogue.db'), '')
      if (note === 'link') symlinkSync('/dev/zero', join(path, 'place'))
      else writeFileSync(join(path, 'place'), '1'.repeat(1_000))
      expect(() => defaultDataDir({}, here)).toThrow('was not made here')
    }
  })

  const preparedElsewhere = (): string => {
    const { path } = inFolder()
    prepareDataDir(path)
    return path
  }
  const copied = (): string => {
    const path = join(makeTempDir(), 'copy')
    cpSync(preparedElsewhere(), path, { recursive: true })
    return path
  }
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
