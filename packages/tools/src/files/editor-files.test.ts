import { createInvocation } from '@polylogue/testkit'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Editor } from '@polylogue/engine'
import { workbenchWith } from './test-support/workbench.ts'

const createWorkbench = workbenchWith(createInvocation)

/** An editor with these buffers, which remembers what it was asked. */
function editorWith(buffers: Readonly<Record<string, string>>, bench: () => { readonly dir: string }) {
  const asked: string[] = []
  const written: Record<string, string> = {}
  const nameOf = (path: string) => path.slice(bench().dir.length + 1)
  const editor: Editor = {
    reader: {
      async read(path) {
        asked.push(nameOf(path))
        const text = buffers[nameOf(path)]
        if (text === undefined) throw new Error('not open')
        return text
      },
    },
    writer: {
      async write(path, text) {
        asked.push(nameOf(path))
        written[nameOf(path)] = text
        return 'written'
      },
    },
  }
  return { editor, asked, written }
}

function open(buffers: Readonly<Record<string, string>>, options: { readonly roots?: readonly string[] } = {}) {
  let editor: Editor | undefined
  const bench = createWorkbench({ editorOf: () => editor, secret: ['ws/secret'], ...options })
  const made = editorWith(buffers, () => bench)
  editor = made.editor
  return { bench, ...made, use: (other: Editor | undefined) => (editor = other) }
}

const failing: Editor = {
  reader: { read: () => Promise.reject(new Error('no')) },
  writer: { write: () => Promise.reject(new Error('no')) },
}

describe('Read', () => {
  it('shows what the editor has, saved or not', async () => {
    const { bench, asked } = open({ 'ws/a.txt': 'new\nlines\n', 'ws/unsaved.txt': 'mine', 'ws/empty.txt': 'typed' })
    bench.file('ws/a.txt', 'old')
    bench.file('ws/empty.txt')
    expect(await bench.say('Read', { path: 'a.txt' })).toBe('     1\tnew\n     2\tlines')
    expect(await bench.say('Read', { path: 'a.txt', offset: 2 })).toBe('     2\tlines\n[Lines 2 to 2 of 2.]')
    expect(await bench.say('Read', { path: 'unsaved.txt' })).toBe('     1\tmine')
    expect(await bench.say('Read', { path: 'empty.txt' })).toBe('     1\ttyped')
    expect(asked).toEqual(['ws/a.txt', 'ws/a.txt', 'ws/unsaved.txt', 'ws/empty.txt'])
  })

  it('shows the disk when the editor fails or has no such file', async () => {
    const { bench, use } = open({})
    bench.file('ws/a.txt', 'old')
    expect(await bench.say('Read', { path: 'a.txt' })).toBe('     1\told')
    expect(await bench.say('Read', { path: 'no.txt' })).toBe('path: no.txt does not exist')
    use(failing)
    expect(await bench.say('Read', { path: 'a.txt' })).toBe('     1\told')
    use(undefined)
    expect(await bench.say('Read', { path: 'a.txt' })).toBe('     1\told')
  })

  it('does not take the empty answer of an editor for a file that does not exist', async () => {
    const { bench } = open({ 'ws/none.txt': '', 'ws/emptied.txt': '' })
    bench.file('ws/emptied.txt', 'saved')
    expect(await bench.say('Read', { path: 'none.txt' })).toContain('does not exist')
    expect(await bench.say('Edit', { path: 'none.txt', oldText: 'a', newText: 'b' })).toContain('does not exist')
    expect(await bench.say('Read', { path: 'emptied.txt' })).not.toContain('saved')
  })

  it('does not show a text of the editor that is longer than any file it shows', async () => {
    const { bench } = open({ 'ws/a.txt': 'x'.repeat(8 * 1024 * 1024 + 1) })
    bench.file('ws/a.txt', 'old')
    expect(await bench.say('Read', { path: 'a.txt' })).toBe('     1\told')
  })

  it('asks the editor for nothing that is outside, hidden, no text, or beyond the working directory', async () => {
    const { bench, asked } = open({}, { roots: ['ws', 'more'] })
    bench.file('outside.txt', 'x')
    bench.file('ws/secret/key', 'x')
    bench.file('ws/binary', Buffer.from([0, 1, 2]))
    bench.file('ws/latin', Buffer.from([0xe9, 0x0a]))
    bench.file('more/b.txt', 'b')
    symlinkSync(join(bench.dir, 'outside.txt'), join(bench.dir, 'ws/out'))
    for (const path of ['../outside.txt', 'out', 'secret/key', 'binary', 'latin', '.'])
      await bench.say('Read', { path })
    expect(await bench.say('Read', { path: join(bench.dir, 'more/b.txt') })).toBe('     1\tb')
    expect(asked).toEqual([])
  })

  it('asks for the file that a link leads to', async () => {
    const { bench, asked } = open({ 'ws/real/a.txt': 'new' })
    bench.file('ws/real/a.txt', 'old')
    symlinkSync('real', join(bench.dir, 'ws/link'))
    expect(await bench.say('Read', { path: 'link/a.txt' })).toBe('     1\tnew')
    expect(asked).toEqual(['ws/real/a.txt'])
  })
})

describe('Write', () => {
  it('writes in the editor and leaves the disk to it', async () => {
    const { bench, written } = open({})
    bench.file('ws/a.txt', 'old')
    expect(await bench.run('Write', { path: 'a.txt', content: 'new' })).toMatchObject({
      content: 'Wrote a.txt (3 bytes).',
      changedFiles: [expect.objectContaining({ path: join(bench.dir, 'ws/a.txt'), change: 'modified' })],
    })
    expect(await bench.run('Write', { path: 'in/b.txt', content: 'é\ud800' })).toMatchObject({
      changedFiles: [{ change: 'created' }],
    })
    expect(written).toEqual({ 'ws/a.txt': 'new', 'ws/in/b.txt': 'é\ufffd' })
    expect(bench.text('ws/a.txt')).toBe('old')
  })

  it('writes nothing when the editor refuses', async () => {
    const { bench, use } = open({})
    bench.file('ws/a.txt', 'old')
    use({ writer: { write: async () => 'refused' } })
    for (const [tool, input] of [
      ['Write', { path: 'a.txt', content: 'new' }],
      ['Write', { path: 'b.txt', content: 'new' }],
      ['Edit', { path: 'a.txt', oldText: 'old', newText: 'new' }],
    ] as const)
      expect(await bench.say(tool, input)).toBe('path: the editor refused to write this file')
    expect(bench.text('ws/a.txt')).toBe('old')
    expect(await bench.say('Read', { path: 'b.txt' })).toContain('does not exist')
  })

  it('compares with the unsaved text of the editor', async () => {
    const { bench } = open({ 'ws/a.txt': 'unsaved', 'ws/new.txt': 'typed', 'ws/none.txt': '' })
    bench.file('ws/a.txt', 'saved')
    const diffOf = async (path: string) => (await bench.inspect('Write', { path, content: 'x' })).preview?.diffs
    expect(await diffOf('a.txt')).toEqual([{ path: join(bench.dir, 'ws/a.txt'), oldText: 'unsaved', newText: 'x' }])
    expect(await diffOf('new.txt')).toMatchObject([{ oldText: 'typed' }])
    expect(await diffOf('none.txt')).toEqual([{ path: join(bench.dir, 'ws/none.txt'), newText: 'x' }])
  })

  it('writes the disk itself when the editor does not', async () => {
    const { bench, use } = open({})
    use(failing)
    await bench.run('Write', { path: 'a.txt', content: 'new' })
    expect(bench.text('ws/a.txt')).toBe('new')
  })

  it('asks the editor for nothing outside, hidden or of Git', async () => {
    const { bench, asked } = open({})
    bench.file('ws/.git/config', 'x')
    for (const path of ['../b.txt', 'secret/key', '.git/config']) await bench.say('Write', { path, content: 'x' })
    expect(asked).toEqual([])
  })

  it('asks no editor without the grant for exactly this file', async () => {
    const { bench, asked } = open({})
    const tool = bench.tool('Write')
    const other = createInvocation(tool, { path: 'other.txt', content: 'x' }, { workspace: bench.workspace })
    const call = createInvocation(tool, { path: 'a.txt', content: 'x' }, { workspace: bench.workspace })
    await expect(tool.run({ ...call, grant: other.grant })).rejects.toThrow('the grant is for another file')
    await expect(tool.run({ ...call, grant: { ...call.grant } })).rejects.toThrow('no grant was issued')
    expect(asked).toEqual([])
  })

  it('writes nothing more when it is cancelled while the editor writes', async () => {
    const { bench, use } = open({})
    bench.file('ws/a.txt', 'old')
    const cancel = new AbortController()
    use({
      writer: {
        async write() {
          cancel.abort()
          throw new Error('abandoned')
        },
      },
    })
    await expect(bench.run('Write', { path: 'a.txt', content: 'new' }, cancel.signal)).rejects.toThrow('abort')
    expect(bench.text('ws/a.txt')).toBe('old')
  })
})

describe('Edit', () => {
  it('changes what the editor has, in the editor', async () => {
    const { bench, written } = open({ 'ws/a.txt': 'one unsaved two\n' })
    bench.file('ws/a.txt', 'one two\n')
    expect(await bench.run('Edit', { path: 'a.txt', oldText: 'unsaved', newText: 'kept' })).toMatchObject({
      content: 'Edited a.txt in 1 place.',
      changedFiles: [expect.objectContaining({ path: join(bench.dir, 'ws/a.txt'), change: 'modified' })],
    })
    expect(written).toEqual({ 'ws/a.txt': 'one kept two\n' })
    expect(bench.text('ws/a.txt')).toBe('one two\n')
  })

  it('changes a file that was never saved', async () => {
    const { bench, written } = open({ 'ws/a.txt': 'one' })
    await bench.run('Edit', { path: 'a.txt', oldText: 'one', newText: 'two' })
    expect(written).toEqual({ 'ws/a.txt': 'two' })
  })

  it('puts the text of the editor on the disk when the editor only reads, with the line ends of the file', async () => {
    const { bench, editor, use } = open({ 'ws/a.txt': 'one\nunsaved\n' })
    bench.file('ws/a.txt', '\ufeffone\r\n')
    if (editor.reader) use({ reader: editor.reader })
    await bench.run('Edit', { path: 'a.txt', oldText: 'unsaved', newText: 'kept' })
    expect(bench.text('ws/a.txt')).toBe('\ufeffone\r\nkept\r\n')
  })

  it('says so when the text is only on the disk', async () => {
    const { bench, written } = open({ 'ws/a.txt': 'new' })
    bench.file('ws/a.txt', 'old')
    const said = await bench.say('Edit', { path: 'a.txt', oldText: 'old', newText: 'x' })
    expect(said).toBe('oldText: was not found, exactly as it is given, in a.txt')
    expect(written).toEqual({})
  })
})
