import type { JsonObject } from '@polylogue/engine'
import { createInvocation } from '@polylogue/testkit'
import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { countOpenFiles, workbenchWith } from './test-support/workbench.ts'

const createWorkbench = workbenchWith(createInvocation)

describe('Glob', () => {
  it('finds files by their path, sorted, relative to the working directory', async () => {
    const bench = createWorkbench({ roots: ['ws', 'other'] })
    for (const path of ['src/b.ts', 'src/a.ts', 'src/deep/c.ts', 'src/c.js', '.env', 'top.ts']) bench.file(`ws/${path}`)
    bench.file('other/o.ts')
    expect(await bench.say('Glob', { pattern: '**/*.ts' })).toBe('src/a.ts\nsrc/b.ts\nsrc/deep/c.ts\ntop.ts')
    expect(await bench.say('Glob', { pattern: '*' })).toBe('.env\ntop.ts')
    expect(await bench.say('Glob', { pattern: '*.ts', path: 'src' })).toBe('src/a.ts\nsrc/b.ts')
    expect(await bench.say('Glob', { pattern: 'src/{b,c}.*' })).toBe('src/b.ts\nsrc/c.js')
    expect(await bench.say('Glob', { pattern: 'src/a.ts' })).toBe('src/a.ts')
    expect(await bench.say('Glob', { pattern: `${bench.dir}/ws/src/*.js` })).toBe('src/c.js')
    expect(await bench.say('Glob', { pattern: '../other/*' })).toBe(join(bench.dir, 'other/o.ts'))
    expect(await bench.say('Glob', { pattern: '*.none' })).toBe('No files match.')
    expect(await bench.say('Glob', { pattern: 'none/*' })).toBe('path: none does not exist')
  })

  it('shows a thousand, and says how many there are', async () => {
    const bench = createWorkbench()
    for (let index = 0; index < 1001; index += 1) bench.file(`ws/f${index}`)
    const text = await bench.say('Glob', { pattern: '*' })
    expect(text.split('\n')).toHaveLength(1001)
    expect(text).toMatch(/\n\[The first 1000 of 1001 files\.\]$/)
  })

  it('is refused where it begins outside, and inspected as reading', async () => {
    const bench = createWorkbench()
    bench.file('secret/s.txt')
    const inputs: JsonObject[] = [{ pattern: '../secret/*' }, { pattern: '/etc/*' }, { pattern: '*', path: '..' }]
    for (const input of inputs) {
      expect(await bench.say('Glob', input)).toMatch(/is outside of the workspace$/)
      expect((await bench.inspect('Glob', input)).facts).toHaveProperty('outside')
    }
    expect(await bench.inspect('Glob', { pattern: 'src/**/*.ts' })).toEqual({
      facts: { type: 'read-files' },
      preview: { title: 'Glob src/**/*.ts', locations: [{ path: join(bench.dir, 'ws/src') }] },
    })
    const { check, ...tool } = bench.tool('Glob')
    expect(tool).toMatchObject({ effect: 'readonly', kind: 'search' })
    expect(check({ pattern: '*/../x' })).toEqual({
      ok: false,
      problem: 'pattern: must not contain .. after a wildcard',
    })
    expect(check({ pattern: '{a,b}'.repeat(9) })).toEqual({
      ok: false,
      problem: 'pattern: stands for too many patterns: use fewer braces',
    })
  })
})

describe('Grep', () => {
  it('answers path, line and text, in files of one kind or all', async () => {
    const bench = createWorkbench()
    bench.file('ws/a.ts', 'one\r\nTwo\nthree two\n')
    bench.file('ws/sub/b.js', 'two')
    bench.file('ws/sub/c.ts', 'nothing')
    bench.file('ws/binary', Buffer.from('two\0two'))
    expect(await bench.say('Grep', { pattern: 'two' })).toBe('a.ts:3:three two\nsub/b.js:1:two')
    expect(await bench.say('Grep', { pattern: '^t\\w+', ignoreCase: true, glob: '*.ts' })).toBe(
      'a.ts:2:Two\na.ts:3:three two',
    )
    expect(await bench.say('Grep', { pattern: '(?i)TWO$', glob: '!*.ts' })).toBe('sub/b.js:1:two')
    expect(await bench.say('Grep', { pattern: 'two', glob: 'sub/**' })).toBe('sub/b.js:1:two')
    expect(await bench.say('Grep', { pattern: 'one', path: 'a.ts' })).toBe('a.ts:1:one')
    expect(await bench.say('Grep', { pattern: 'none' })).toBe('No lines match.')
    expect(await bench.say('Grep', { pattern: 'one', path: 'none' })).toBe('path: none does not exist')
  })

  it('shows the lines around a match, groups apart', async () => {
    const bench = createWorkbench()
    bench.file('ws/a', '1\n2\nX\n4\nX\n6\n7\n8\n9\nX')
    bench.file('ws/b', 'X')
    expect(await bench.say('Grep', { pattern: 'X', context: 1 })).toBe(
      ['a-2-2', 'a:3:X', 'a-4-4', 'a:5:X', 'a-6-6', '--', 'a-9-9', 'a:10:X', '--', 'b:1:X'].join('\n'),
    )
  })

  it('shows a long line around the match, and stops at the limit', async () => {
    const bench = createWorkbench()
    bench.file('ws/long', `${'-'.repeat(5000)}X${'-'.repeat(5000)}`)
    expect(await bench.say('Grep', { pattern: 'X' })).toBe(`long:1:…${'-'.repeat(100)}X${'-'.repeat(399)}…`)
    bench.file('ws/many', 'y\n'.repeat(20))
    expect(await bench.say('Grep', { pattern: 'y', limit: 2 })).toBe(
      'many:1:y\nmany:2:y\n[There is more than 2 matching lines: search for something narrower.]',
    )
    expect(await bench.say('Grep', { pattern: 'y', limit: 20 })).not.toContain('more than')
  })

  it('says which files were too large, and where it stopped', async () => {
    const bench = createWorkbench({ limits: { fileBytes: 10, entries: 3 } })
    bench.file('ws/a', 'x'.repeat(11))
    bench.file('ws/b', 'x')
    bench.file('ws/c/d', 'x')
    expect(await bench.say('Grep', { pattern: 'x', path: 'b' })).toBe('b:1:x')
    expect(await bench.say('Grep', { pattern: 'x' })).toBe(
      'No lines match.\n[The search was stopped after 3 names: begin further down.]',
    )
    const roomy = createWorkbench({ limits: { fileBytes: 10 } })
    roomy.file('ws/a', 'x'.repeat(11))
    expect(await roomy.say('Grep', { pattern: 'x' })).toBe(
      'No lines match.\n[Not searched: 1 file of more than 10 bytes.]',
    )
    const hurried = createWorkbench({ limits: { ms: 0 } })
    hurried.file('ws/a', 'x')
    expect(await hurried.say('Grep', { pattern: 'x' })).toContain(
      '[The search was stopped after 0 s: begin further down.]',
    )
  })

  it('M5: gives up a pattern that takes forever, while everything else continues', async () => {
    const bench = createWorkbench({ limits: { patternMs: 150 } })
    bench.file('ws/a', `${'a'.repeat(5000)}b\n`)
    const search = bench.say('Grep', { pattern: '^(a+)+$' })
    let ticks = 0
    const timer = setInterval(() => (ticks += 1), 5)
    expect(await search).toBe('pattern: took more than 150 ms for one file: use a simpler one')
    clearInterval(timer)
    expect(ticks).toBeGreaterThan(5)
  })

  it('stops soon after it is cancelled', async () => {
    const bench = createWorkbench({ limits: { patternMs: 60_000 } })
    bench.file('ws/a', `${'a'.repeat(5000)}b\n`)
    const cancel = new AbortController()
    const search = bench.run('Grep', { pattern: '^(a+)+$' }, cancel.signal)
    setTimeout(() => cancel.abort(new Error('cancelled')), 100)
    await expect(search).rejects.toThrow('cancelled')
  })

  it('says what is wrong with a pattern before it runs, and is inspected as reading', async () => {
    const bench = createWorkbench()
    expect(bench.tool('Grep').check({ pattern: '(' })).toEqual({
      ok: false,
      problem: 'pattern: Invalid regular expression: /(/: Unterminated group',
    })
    expect(bench.tool('Grep').check({ pattern: 'a\\-b' }).ok).toBe(true)
    bench.file('ws/src/a')
    expect(await bench.inspect('Grep', { pattern: 'a b', path: 'src' })).toEqual({
      facts: { type: 'read-files' },
      preview: { title: 'Grep a b in src', locations: [{ path: join(bench.dir, 'ws/src') }] },
    })
    expect((await bench.inspect('Grep', { pattern: 'a', path: '/etc' })).facts).toHaveProperty('outside')
  })
})

describe('a search', () => {
  it('leaves out what Git ignores, .git and node_modules, unless it begins there', async () => {
    const bench = createWorkbench()
    bench.file('ws/.gitignore', 'dist/\n*.log\n!keep.log\n')
    bench.file('ws/sub/.gitignore', '/local\n')
    for (const path of ['dist/d', 'a.log', 'keep.log', 'sub/local', 'sub/deep/local', '.git/config', 'sub/b.log'])
      bench.file(`ws/${path}`, 'x')
    bench.file('ws/node_modules/p/dist/i.js', 'x')
    const found = '.gitignore\nkeep.log\nsub/.gitignore\nsub/deep/local'
    expect(await bench.say('Glob', { pattern: '**' })).toBe(found)
    expect(await bench.say('Grep', { pattern: '^x$' })).toBe('keep.log:1:x\nsub/deep/local:1:x')
    expect(await bench.say('Glob', { pattern: '**', path: 'sub' })).toBe('sub/.gitignore\nsub/deep/local')
    expect(await bench.say('Glob', { pattern: 'dist/*' })).toBe('dist/d')
    expect(await bench.say('Glob', { pattern: 'node_modules/p/*' })).toBe('No files match.')
    expect(await bench.say('Glob', { pattern: 'node_modules/p/dist/*' })).toBe('node_modules/p/dist/i.js')
    expect(await bench.say('Grep', { pattern: 'x', path: '.git' })).toBe('.git/config:1:x')
  })

  it('C11: follows no link, sees nothing that is protected, and ends in a circle of directories', async () => {
    const bench = createWorkbench({ roots: ['ws', 'ws/data/mine'], secret: ['ws/data'] })
    bench.file('secret/s.txt', 'SECRET')
    bench.file('ws/data/local.key', 'SECRET')
    bench.file('ws/data/mine/m.txt', 'mine')
    symlinkSync('../secret', join(bench.dir, 'ws/out'))
    symlinkSync('../secret/s.txt', join(bench.dir, 'ws/out.txt'))
    symlinkSync('.', join(bench.dir, 'ws/circle'))
    execFileSync('mkfifo', [join(bench.dir, 'ws/pipe')])
    expect(await bench.say('Glob', { pattern: '**' })).toBe('data/mine/m.txt')
    expect(await bench.say('Grep', { pattern: 'SECRET|mine' })).toBe('data/mine/m.txt:1:mine')
    expect(await bench.say('Grep', { pattern: 'SECRET', path: 'out' })).toMatch(/leads outside/)
  })

  it('leaves nothing open', async () => {
    const bench = createWorkbench({ limits: { patternMs: 100 } })
    for (const path of ['a/b/c/d', 'a/b/e', 'f']) bench.file(`ws/${path}`, `${'a'.repeat(5000)}b\n`)
    await bench.say('Grep', { pattern: 'a' })
    const before = countOpenFiles()
    for (const pattern of ['a', '^(a+)+$']) await bench.say('Grep', { pattern, limit: 1 })
    await bench.say('Glob', { pattern: '**' })
    expect(countOpenFiles()).toBe(before)
  })
})
