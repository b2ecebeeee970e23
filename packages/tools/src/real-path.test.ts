import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { realPathOf } from './real-path.ts'

let top: string
beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'real-path-')))
  mkdirSync(join(top, 'a/b/c'), { recursive: true })
  writeFileSync(join(top, 'a/file'), '')
  symlinkSync(join(top, 'a/b'), join(top, 'link'))
  symlinkSync(join(top, 'nowhere'), join(top, 'a/dead'))
  symlinkSync('loop', join(top, 'loop'))
})
afterAll(() => rmSync(top, { recursive: true }))

/** Folder by folder, from the end. */
function slowly(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(slowly(parent), basename(path))
  }
}

it('resolves the existing part as a walk from the end does', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'link', 'dead', 'loop', 'file', 'missing', '..', '.', '', 'x'.repeat(300))
  fc.assert(
    fc.property(fc.array(name, { maxLength: 12 }), fc.boolean(), (names, isRelative) => {
      const path = isRelative ? names.join('/') : [top, ...names].join('/')
      expect(realPathOf(path)).toBe(slowly(path))
    }),
    { numRuns: 1_000 },
  )
})

it('takes a path of thousands of missing folders without a recursion, and without looking at each', () => {
  const missing = '/*'.repeat(30_000)
  const before = process.threadCpuUsage()
  for (let index = 0; index < 10; index++) expect(realPathOf(`${top}/link${missing}`)).toBe(`${top}/a/b${missing}`)
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(1_500)
})
