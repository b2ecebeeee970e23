import { issueGrant } from '@polylogue/engine'
import { createInvocation, testDigest } from '@polylogue/testkit'
import { hash } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { workbenchWith } from './test-support/workbench.ts'

const createWorkbench = workbenchWith(createInvocation)

describe('Read', () => {
  it('numbers the lines, whatever ends them, and leaves the byte order mark out', async () => {
    const bench = createWorkbench()
    bench.file('ws/a.txt', '\uFEFFone\r\ntwo\n\nfour')
    expect(await bench.say('Read', { path: 'a.txt' })).toBe('     1\tone\n     2\ttwo\n     3\t\n     4\tfour')
  })

  it('shows a part, and says where to continue', async () => {
    const bench = createWorkbench()
    bench.file('ws/a.txt', '1\n2\n3\n4\n5\n')
    expect(await bench.say('Read', { path: 'a.txt', offset: 2, limit: 2 })).toBe(
      '     2\t2\n     3\t3\n[Lines 2 to 3 of 5; go on with offset 4.]',
    )
    expect(await bench.say('Read', { path: 'a.txt', offset: 0, limit: 1 })).toMatch(/^ {5}1\t1\n/)
    expect(await bench.say('Read', { path: 'a.txt', offset: 5 })).toBe('     5\t5\n[Lines 5 to 5 of 5.]')
    expect(await bench.say('Read', { path: 'a.txt', offset: 6 })).toBe('offset: a.txt has only 5 lines')
  })

  it('cuts long lines, many lines and much text, and says so', async () => {
    const bench = createWorkbench()
    bench.file('ws/long.txt', 'x'.repeat(2003))
    expect(await bench.say('Read', { path: 'long.txt' })).toBe(`     1\t${'x'.repeat(2000)}… [3 more characters]`)
    bench.file('ws/many.txt', 'x\n'.repeat(3000))
    expect(await bench.say('Read', { path: 'many.txt' })).toMatch(
      /\n  2000\tx\n\[Lines 1 to 2000 of 3000; go on with offset 2001\.\]$/,
    )
    bench.file('ws/much.txt', `${'y'.repeat(1500)}\n`.repeat(1000))
    const much = await bench.say('Read', { path: 'much.txt' })
    expect(much.length).toBeLessThan(129 * 1024)
    expect(much).toMatch(/\[Lines 1 to 86 of 1000; go on with offset 87\.\]$/)
  })

  it('B12: reads no more than 8 MiB of a file of 4 GiB', async () => {
    const bench = createWorkbench()
    truncateSync(bench.file('ws/huge.txt', 'first\n' + `${'z'.repeat(1023)}\n`.repeat(9000)), 4 * 1024 ** 3)
    const text = await bench.say('Read', { path: 'huge.txt', limit: 1 })
    expect(text).toBe(
      '     1\tfirst\n[Lines 1 to 1 of the first 8193; go on with offset 2.]\n' +
        '[The file has 4 GiB; what comes after 8 MiB cannot be read here.]',
    )
    expect(await bench.say('Edit', { path: 'huge.txt', oldText: 'first', newText: 'x' })).toBe(
      'path: huge.txt has 4 GiB; Edit takes up to 8 MiB',
    )
  })

  it('names values that are not text', async () => {
    const bench = createWorkbench()
    bench.file('ws/empty', '')
    bench.file('ws/binary', Buffer.from([1, 2, 0, 3]))
    bench.file('ws/latin', Buffer.from([0x67, 0xfc, 0x6e]))
    bench.file('ws/i.png', Buffer.from('89504e470d0a1a0a00000000', 'hex'))
    bench.file('ws/i.jpg', Buffer.from('ffd8ffe000', 'hex'))
    bench.file('ws/i.gif', 'GIF89a.....')
    bench.file('ws/i.webp', 'RIFF\0\0\0\0WEBPVP8 ')
    expect(await bench.say('Read', { path: 'empty' })).toBe('empty is empty.')
    expect(await bench.say('Read', { path: 'binary' })).toBe(
      'binary is a binary file of 4 bytes, which Read does not show.',
    )
    expect(await bench.say('Read', { path: 'latin' })).toBe(
      '     1\tg\uFFFDn\n[It is not UTF-8: bytes that are no characters are shown as \uFFFD.]',
    )
    expect(await bench.say('Read', { path: 'i.png' })).toBe(
      'i.png is a PNG image of 12 bytes. It is damaged, so it is not shown.',
    )
    expect(await bench.say('Read', { path: 'i.jpg' })).toContain('a JPEG image')
    expect(await bench.say('Read', { path: 'i.gif' })).toContain('a GIF image')
    expect(await bench.say('Read', { path: 'i.webp' })).toContain('a WebP image')
  })

  it('lists a directory, with names that hold line breaks in quotes', async () => {
    const bench = createWorkbench()
    expect(await bench.say('Read', { path: '.' })).toBe('The directory is empty.')
    for (const path of ['ws/b.txt', 'ws/a/x', 'ws/new\nline', 'ws/.hidden']) bench.file(path)
    expect(await bench.say('Read', { path: '.' })).toBe('.hidden\na/\nb.txt\n"new\\nline"')
  })

  it('is inspected as reading one place', async () => {
    const bench = createWorkbench()
    const path = bench.file('ws/src/a.ts', 'a')
    expect(await bench.inspect('Read', { path: 'src/a.ts', offset: 7 })).toEqual({
      facts: { type: 'read-files' },
      preview: { title: 'Read src/a.ts', locations: [{ path, line: 7 }] },
    })
    expect(bench.tool('Read')).toMatchObject({ effect: 'readonly', kind: 'read', exposed: true })
  })
})

describe('Write', () => {
  it('makes a file with its directories, and says which file it made', async () => {
    const bench = createWorkbench()
    const path = join(bench.dir, 'ws/new/deep/a.txt')
    expect(await bench.run('Write', { path: 'new/deep/a.txt', content: 'ä' })).toMatchObject({
      content: 'Created new/deep/a.txt (2 bytes).',
      changedFiles: [expect.objectContaining({ path, change: 'created' })],
    })
    expect(readFileSync(path, 'utf8')).toBe('ä')
    expect(statSync(path).mode & 0o777).toBe(0o666 & ~process.umask())
  })

  it('replaces a file, keeps its mode without the bits that lend rights, and leaves nothing beside it', async () => {
    const bench = createWorkbench()
    const path = bench.file('ws/run.sh', 'old')
    chmodSync(path, 0o4750)
    expect(await bench.run('Write', { path: 'run.sh', content: 'new' })).toMatchObject({
      content: 'Wrote run.sh (3 bytes).',
      changedFiles: [expect.objectContaining({ path, change: 'modified' })],
    })
    expect(statSync(path).mode & 0o7777).toBe(0o750)
    expect(readdirSync(join(bench.dir, 'ws'))).toEqual(['run.sh'])
  })

  it('does not overwrite a directory, nor write to a name that ends like one', async () => {
    const bench = createWorkbench()
    bench.file('ws/dir/x')
    expect(await bench.say('Write', { path: 'dir', content: '' })).toBe('path: dir is a directory')
    expect(bench.tool('Write').check({ path: 'dir/', content: '' })).toEqual({
      ok: false,
      problem: 'path: must name a file, not a directory',
    })
    expect(readdirSync(join(bench.dir, 'ws/dir'))).toEqual(['x'])
  })

  it('shows what will change: nothing before a new file, the whole old text of a short one', async () => {
    const bench = createWorkbench()
    const path = bench.file('ws/a.txt', 'old')
    const fresh = join(bench.dir, 'ws/no/new.txt')
    expect(await bench.inspect('Write', { path: 'a.txt', content: 'new' })).toEqual({
      facts: { type: 'write-files' },
      preview: { title: 'Write a.txt', locations: [{ path }], diffs: [{ path, oldText: 'old', newText: 'new' }] },
      before: hash('sha256', 'old'),
    })
    const basisOfNew = async () => (await bench.inspect('Write', { path: 'a.txt', content: 'new' })).before
    bench.file('ws/a.txt', 'older')
    expect(await basisOfNew()).toBe(hash('sha256', 'older'))
    rmSync(path)
    expect(await basisOfNew()).toBe('absent')
    bench.file('ws/a.txt', Buffer.alloc(2_000_000))
    const large = await basisOfNew()
    expect(large).toMatch(/^\d+:2000000:\d+$/)
    bench.file('ws/a.txt', 'old')
    expect((await bench.inspect('Write', { path: 'no/new.txt', content: 'new' })).preview).toEqual({
      title: 'Write no/new.txt',
      locations: [{ path: fresh }],
      diffs: [{ path: fresh, newText: 'new' }],
    })
    bench.file('ws/binary', Buffer.from([0]))
    bench.file('ws/large', 'x'.repeat(256 * 1024 + 1))
    for (const input of [
      { path: 'binary', content: '' },
      { path: 'large', content: '' },
      { path: 'a.txt', content: 'x'.repeat(256 * 1024 + 1) },
      { path: '../a.txt', content: 'x' },
    ])
      expect((await bench.inspect('Write', input)).preview?.diffs).toEqual([])
    expect(bench.tool('Write')).toMatchObject({ effect: 'idempotent', kind: 'edit' })
  })

  it.each(['Read', 'Write', 'Edit', 'Glob', 'Grep'])('%s does nothing once its call is cancelled', async (name) => {
    const bench = createWorkbench()
    bench.file('ws/a.txt', 'a')
    const input = { path: 'a.txt', content: 'x', oldText: 'a', newText: 'x', pattern: 'a' }
    await expect(bench.run(name, input, AbortSignal.abort(new Error('cancelled')))).rejects.toThrow('cancelled')
    expect(bench.text('ws/a.txt')).toBe('a')
  })

  it('writes nothing without a grant for this tool and this file', async () => {
    const bench = createWorkbench()
    const write = bench.tool('Write')
    const call = createInvocation(write, { path: 'a.txt', content: 'x' }, { workspace: bench.workspace })
    const { cwd } = bench.workspace
    const grantFor = (tool: string, path: string) =>
      issueGrant({ tool, input: { path }, cwd, policy: 'test' }, testDigest)
    await expect(write.run({ ...call, grant: { ...call.grant } })).rejects.toThrow('no grant was issued')
    await expect(write.run({ ...call, grant: grantFor('Read', 'a.txt') })).rejects.toThrow('the grant is for Read')
    await expect(write.run({ ...call, grant: grantFor('Write', 'b.txt') })).rejects.toThrow('for another file')
    expect(readdirSync(cwd)).toEqual([])
    await write.run({ ...call, grant: grantFor('Write', './a.txt') })
    expect(readdirSync(cwd)).toEqual(['a.txt'])
  })
})

describe('Edit', () => {
  it('replaces a text that is there once, and says which file it changed', async () => {
    const bench = createWorkbench()
    const path = bench.file('ws/a.txt', 'one two three')
    expect(await bench.run('Edit', { path: 'a.txt', oldText: 'two', newText: '$& 2' })).toMatchObject({
      content: 'Edited a.txt in 1 place.',
      changedFiles: [expect.objectContaining({ path, change: 'modified' })],
    })
    expect(bench.text('ws/a.txt')).toBe('one $& 2 three')
  })

  it('replaces every occurrence only on request', async () => {
    const bench = createWorkbench()
    bench.file('ws/a.txt', 'a a a')
    expect(await bench.say('Edit', { path: 'a.txt', oldText: 'a', newText: 'b' })).toBe(
      'oldText: was found 3 times: give more of what surrounds it, or set replaceAll, for a.txt',
    )
    expect(await bench.say('Edit', { path: 'a.txt', oldText: 'a', newText: 'b', replaceAll: true })).toBe(
      'Edited a.txt in 3 places.',
    )
    expect(bench.text('ws/a.txt')).toBe('b b b')
  })

  it('makes several replacements in one call, each in the result of the one before', async () => {
    const bench = createWorkbench()
    const path = bench.file('ws/a.txt', 'one two three')
    const edits = [
      { oldText: 'one', newText: '1 1', replaceAll: false },
      { oldText: '1', newText: 'uno', replaceAll: true },
      { oldText: 'three', newText: '3', replaceAll: false },
    ]
    expect(await bench.run('Edit', { path: 'a.txt', edits })).toMatchObject({
      content: 'Edited a.txt in 4 places.',
      changedFiles: [expect.objectContaining({ path, change: 'modified' })],
    })
    expect(bench.text('ws/a.txt')).toBe('uno uno two 3')
    expect((await bench.inspect('Edit', { path: 'a.txt', edits })).preview?.diffs).toHaveLength(3)
  })

  it('makes all of several replacements or none', async () => {
    const bench = createWorkbench()
    bench.file('ws/a.txt', 'one two')
    const edits = [
      { oldText: 'one', newText: '1' },
      { oldText: 'none', newText: 'x' },
    ]
    expect(await bench.say('Edit', { path: 'a.txt', edits })).toBe(
      'edits[1].oldText: was not found, exactly as it is given, in a.txt',
    )
    expect(bench.text('ws/a.txt')).toBe('one two')
  })

  it('wants one replacement or a list of them, not both and not nothing', () => {
    const { check } = createWorkbench().tool('Edit')
    const edits = [{ oldText: 'a', newText: 'b' }]
    const problemOf = (input: object): unknown => check({ path: 'a.txt', ...input })
    expect(problemOf({ edits })).toMatchObject({ ok: true })
    expect(problemOf({ edits, oldText: 'a', newText: 'b' })).toEqual({
      ok: false,
      problem: 'edits: give either edits, or oldText and newText',
    })
    expect(problemOf({})).toEqual({ ok: false, problem: 'oldText: is missing' })
    expect(problemOf({ oldText: 'a' })).toEqual({ ok: false, problem: 'newText: is missing' })
    expect(problemOf({ edits: [] })).toMatchObject({ ok: false })
  })

  it('keeps CR LF and the byte order mark, and takes LF to mean the file’s own line end', async () => {
    const bench = createWorkbench()
    bench.file('ws/a.txt', '\uFEFFone\r\ntwo\r\nthree\r\n')
    await bench.run('Edit', { path: 'a.txt', oldText: 'one\ntwo', newText: '1\n2\n2½' })
    expect(bench.text('ws/a.txt')).toBe('\uFEFF1\r\n2\r\n2½\r\nthree\r\n')
    bench.file('ws/mixed.txt', 'one\r\ntwo\nthree')
    await bench.run('Edit', { path: 'mixed.txt', oldText: 'two\n', newText: '2\n' })
    expect(bench.text('ws/mixed.txt')).toBe('one\r\n2\nthree')
  })

  it('says what is wrong with the text or the file', async () => {
    const bench = createWorkbench()
    bench.file('ws/a.txt', 'x'.repeat(1000))
    bench.file('ws/latin', Buffer.from([0x67, 0xfc, 0x6e]))
    bench.file('ws/binary', Buffer.from([0x67, 0]))
    const edit = (path: string, oldText: string, newText: string) =>
      bench.say('Edit', { path, oldText, newText, replaceAll: true })
    expect(await edit('a.txt', 'y', 'z')).toBe('oldText: was not found, exactly as it is given, in a.txt')
    expect(await edit('a.txt', 'x', 'x')).toBe('oldText: is the same as newText, so nothing would change in a.txt')
    expect(await edit('a.txt', 'x', 'z'.repeat(100_000))).toMatch(/^oldText: is in 1000 places, and newText would make/)
    expect(await edit('latin', 'g', 'z')).toBe('path: latin is not UTF-8, and would not survive being edited')
    expect(await edit('binary', 'g', 'z')).toBe('path: binary is a binary file')
    expect(await edit('none', 'g', 'z')).toBe('path: none does not exist')
    expect(bench.tool('Edit').check({ path: 'a.txt', oldText: '', newText: 'x' })).toEqual({
      ok: false,
      problem: 'oldText: must not be empty',
    })
  })

  it('loses none of many edits of one file that are asked for at once', async () => {
    const bench = createWorkbench()
    const marks = Array.from({ length: 20 }, (_, index) => `<${index}>`)
    bench.file('ws/a.txt', marks.join('\n'))
    await Promise.all(marks.map((mark) => bench.run('Edit', { path: 'a.txt', oldText: mark, newText: `done${mark}` })))
    expect(bench.text('ws/a.txt')).toBe(marks.map((mark) => `done${mark}`).join('\n'))
  })

  it('shows the two texts and the line before it runs', async () => {
    const bench = createWorkbench()
    const path = bench.file('ws/src/a.ts', 'one\r\ntwo\r\nthree\r\n')
    expect(await bench.inspect('Edit', { path: 'src/a.ts', oldText: 'two\nthree', newText: '2' })).toEqual({
      facts: { type: 'write-files' },
      preview: {
        title: 'Edit src/a.ts',
        locations: [{ path, line: 2 }],
        diffs: [{ path, oldText: 'two\nthree', newText: '2' }],
      },
    })
    expect(bench.tool('Edit')).toMatchObject({ effect: 'unsafe', kind: 'edit' })
  })

  it('shows the line of each change, in the result of the one before, as far as they fit', async () => {
    const bench = createWorkbench()
    const path = bench.file('ws/a.ts', 'one\ntwo\nthree\nfour\n')
    const edits = [
      { oldText: 'one', newText: 'zero\none' },
      { oldText: 'three', newText: '3' },
      { oldText: 'none', newText: 'x' },
      { oldText: 'four', newText: '4' },
    ]
    const { preview } = await bench.inspect('Edit', { path: 'a.ts', edits })
    expect(preview?.locations).toEqual([
      { path, line: 1 },
      { path, line: 4 },
    ])
    expect(preview?.diffs?.length).toBe(4)
    const nowhere = await bench.inspect('Edit', { path: 'a.ts', oldText: 'five', newText: '5' })
    expect(nowhere.preview?.locations).toEqual([{ path }])
  })
})
