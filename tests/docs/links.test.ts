import { existsSync, globSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT, type RepositoryPage, readRepositoryPages } from './repository-pages.ts'

const pages = new Map(readRepositoryPages().map((page) => [page.path, page]))

/** A name of a file or folder in the checkout: it has a slash, and no placeholder such as `<door>`. */
const NAMED_PATH = /^(?:apps|docs|examples|packages|scripts|tests)\/[\w./*{},-]+$/

describe('the pages of this repository', () => {
  it('are all read', () => {
    expect([...pages.keys()]).toEqual(
      expect.arrayContaining(['README.md', 'README.zh.md', 'AGENTS.md', 'docs/README.md', 'packages/tools/README.md']),
    )
  })

  it.each([...pages.values()])('$path links only to what exists', (page) => {
    expect(page.targets.filter((target) => !isThere(page, target))).toEqual([])
  })

  it.each([...pages.values()])('$path names only files and folders that exist', (page) => {
    expect(page.codeSpans.filter((code) => NAMED_PATH.test(code) && !isInCheckout(code))).toEqual([])
  })

  it('find a file that is not there, and a heading that is not there', () => {
    const [page] = pages.values()
    if (!page) throw new Error('there is no page')
    const made: RepositoryPage = { ...page, path: 'docs/made.md', anchors: new Set(['here']) }
    const targets = ['#here', '#gone', '../README.md', '../README.md#gone', '../GONE.md', 'https://example.com/#gone']
    expect(targets.filter((target) => !isThere(made, target))).toEqual(['#gone', '../README.md#gone', '../GONE.md'])
  })
})

function isThere(page: RepositoryPage, target: string): boolean {
  if (/^[a-z][a-z+.-]*:/i.test(target)) return true
  const [file = '', anchor] = target.split('#', 2).map(decodeURIComponent)
  const path = posix.join(dirname(page.path), file)
  if (!existsSync(join(ROOT, path))) return false
  if (anchor === undefined) return true
  return (file === '' ? page : pages.get(path))?.anchors.has(anchor) === true
}

function isInCheckout(path: string): boolean {
  return path.includes('*') || path.includes('{')
    ? globSync(path, { cwd: ROOT }).length > 0
    : existsSync(join(ROOT, path))
}
