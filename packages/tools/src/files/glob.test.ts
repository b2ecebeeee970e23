import { describe, expect, it } from 'vitest'
import { compileGlob } from './glob.ts'

function matches(pattern: string, path: string): boolean | undefined {
  return compileGlob(pattern)?.(path.split('/'))
}

describe('a glob', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['*.ts', ['a.ts', '.ts'], ['a/b.ts', 'a.tsx', 'a.TS']],
    ['**/*.ts', ['a.ts', 'a/b.ts', 'a/b/c.ts', '.h/.d.ts'], ['a.js', 'a.ts/b']],
    ['src/**', ['src/a', 'src/a/b'], ['src', 'srcs/a']],
    ['src/**/x', ['src/x', 'src/a/x', 'src/a/b/x'], ['x', 'src/a/y']],
    ['**', ['a', 'a/b'], []],
    ['./a//b', ['a/b'], ['a', 'b']],
    ['a?c', ['abc', 'a😀c'], ['ac', 'abbc']],
    ['[a-c]x[!0-9]', ['axb', 'cx-'], ['dxb', 'ax1', 'ax']],
    ['[]a]', [']', 'a'], ['[]a]']],
    ['[a', ['[a'], ['a']],
    ['[\\]]', [']'], ['\\]']],
    ['\\*', ['*'], ['a', '\\*']],
    ['a**b', ['ab', 'axxb'], ['a/b']],
    ['{a,b}.{ts,js}', ['a.ts', 'b.js'], ['c.ts', '{a,b}.ts']],
    ['{src,{lib,bin}}/*', ['src/a', 'lib/a', 'bin/a'], ['x/a']],
    ['{a}', ['{a}'], ['a']],
    ['{a,b', ['{a,b'], ['a']],
    ['\\{a,b}', ['{a,b}'], ['a', 'b']],
    ['x{,y}', ['x', 'xy'], ['xx']],
    ['*a*b*c', ['abc', 'xaybzc', 'aabbcc'], ['acb', 'ab']],
    ['**/a/**/b/**', ['a/b/c', 'x/a/y/b/z/z'], ['a/b', 'b/a/c']],
  ])('%s', (pattern, yes, no) => {
    expect(yes.filter((path) => matches(pattern, path) !== true)).toEqual([])
    expect(no.filter((path) => matches(pattern, path) !== false)).toEqual([])
  })

  it('that expands to too many patterns is refused', () => {
    expect(compileGlob('{a,b}'.repeat(6))).toBeDefined()
    expect(compileGlob('{a,b}'.repeat(7))).toBeUndefined()
    expect(compileGlob('{a,b}'.repeat(200))).toBeUndefined()
  })

  it('M5: that is written to take forever does not', () => {
    const startedAt = performance.now()
    expect(matches(`${'*a'.repeat(120)}*b`, 'a'.repeat(250))).toBe(false)
    expect(matches(`${'**/a/'.repeat(100)}b`, `${'a/'.repeat(126)}c`)).toBe(false)
    expect(matches('{'.repeat(1000), 'a')).toBe(false)
    expect(performance.now() - startedAt).toBeLessThan(1000)
  })
})
