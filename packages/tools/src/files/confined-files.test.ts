import { mkdir, mkdtemp, readFile, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createProtectedSet } from '../protected/protected-set.ts'
import { createConfinedFiles } from './confined-files.ts'

let root: string
let cwd: string
const files = createConfinedFiles({ protectedSet: createProtectedSet({}) })
const keep = (name: string, text = 'x') =>
  files.keep({ cwd, roots: [cwd] }, 'uploads', { name, bytes: Buffer.from(text) })

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'polylogue-kept-')))
  cwd = join(root, 'workspace')
  await mkdir(cwd)
})
afterEach(() => rm(root, { recursive: true }))

describe('a file that a user sends', () => {
  it('is kept in the folder, beside one of the same name', async () => {
    expect(await keep('plan.md', 'one')).toBe('uploads/plan.md')
    expect(await keep('plan.md', 'two')).toBe('uploads/plan-2.md')
    expect(await readFile(join(cwd, 'uploads/plan.md'), 'utf8')).toBe('one')
    expect(await readFile(join(cwd, 'uploads/plan-2.md'), 'utf8')).toBe('two')
  })

  it.each([
    ['../../etc/passwd', 'uploads/passwd'],
    ['/etc/passwd', 'uploads/passwd'],
    ['..\\..\\boot.ini', 'uploads/boot.ini'],
    ['..', 'uploads/file'],
    ['.bashrc', 'uploads/bashrc'],
    ['a\nb\u0000c.txt', 'uploads/abc.txt'],
    ['', 'uploads/file'],
    [`${'x'.repeat(500)}.txt`, `uploads/${'x'.repeat(116)}.txt`],
  ])('called %j is kept as %j', async (name, path) => {
    expect(await keep(name)).toBe(path)
    expect(await readdir(root)).toEqual(['workspace'])
  })

  it('is deleted again when its message was refused, and nothing outside with it', async () => {
    const workspace = { cwd, roots: [cwd] }
    const path = await keep('plan.md')
    await files.remove(workspace, path)
    await files.remove(workspace, path)
    expect(await readdir(join(cwd, 'uploads'))).toEqual([])
    await writeFile(join(root, 'secret'), 'old')
    await symlink(join(root, 'secret'), join(cwd, path))
    await expect(files.remove(workspace, path)).rejects.toThrow(/outside/)
    expect(await readFile(join(root, 'secret'), 'utf8')).toBe('old')
  })

  it('never lands behind a link that leads outside', async () => {
    const outside = join(root, 'outside')
    await mkdir(outside)
    await symlink(outside, join(cwd, 'uploads'))
    await expect(keep('plan.md')).rejects.toThrow(/uploads/)
    expect(await readdir(outside)).toEqual([])
    await rm(join(cwd, 'uploads'))
    await mkdir(join(cwd, 'uploads'))
    await writeFile(join(outside, 'secret'), 'old')
    await symlink(join(outside, 'secret'), join(cwd, 'uploads/plan.md'))
    await keep('plan.md', 'new').catch(() => undefined)
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('old')
  })
})
