import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findTestKinds, readSources } from './test-kinds.ts'

const manifest = (name: string): string => JSON.stringify({ name, exports: { '.': './src/index.ts' } })

function kindOf(sources: Record<string, string>): string {
  const { pure, process } = findTestKinds(new Map(Object.entries(sources)))
  return pure.length === 1 && process.length === 0
    ? 'pure'
    : pure.length === 0 && process.length === 1
      ? 'process'
      : '?'
}

describe('a test', () => {
  it('is pure when nothing that it imports starts processes', () => {
    expect(kindOf({ 'apps/x/src/a.test.ts': "import { a } from './a.ts'", 'apps/x/src/a.ts': '' })).toBe('pure')
  })

  it.each([
    ['itself', { 'tests/a.test.ts': "import { spawn } from 'node:child_process'" }],
    ['a file', { 'tests/a.test.ts': "import './b.ts'", 'tests/b.ts': "export { fork } from 'node:child_process'" }],
    [
      'a file, when it runs',
      { 'tests/a.test.ts': "await import('./b.ts')", 'tests/b.ts': "import 'node:child_process'" },
    ],
    [
      'a package',
      {
        'tests/a.test.ts': "import {\n  type B,\n  b,\n} from '@polylogue/b'",
        'packages/b/package.json': manifest('@polylogue/b'),
        'packages/b/src/index.ts': "export { b } from './b.ts'",
        'packages/b/src/b.ts': "import { execFile } from 'node:child_process'",
      },
    ],
  ])('needs a process when it imports what starts one: %s', (_what, sources) => {
    expect(kindOf(sources)).toBe('process')
  })

  it('needs none for a type', () => {
    expect(kindOf({ 'tests/a.test.ts': "import type { ChildProcess } from 'node:child_process'" })).toBe('pure')
  })

  it.each(['tests/a.browser.test.ts', 'tests/a.sandbox.test.ts', 'tests/a.tmux.test.ts'])(
    'needs one by its name: %s',
    (path) => {
      expect(kindOf({ [path]: '' })).toBe('process')
    },
  )
})

describe('the tests of this repository', () => {
  const { pure, process } = findTestKinds(readSources(fileURLToPath(new URL('../..', import.meta.url))))

  it('are of one kind each, and none is a proof', () => {
    expect(pure.filter((path) => process.includes(path))).toEqual([])
    expect([...pure, ...process].filter((path) => path.endsWith('.proof.test.ts'))).toEqual([])
  })

  it('of the engine are pure; those that start the program are not', () => {
    expect(process.filter((path) => path.startsWith('packages/engine/'))).toEqual([])
    expect(process).toEqual(expect.arrayContaining(['tests/cli/serve.test.ts', 'tests/crash/crash.test.ts']))
  })
})
