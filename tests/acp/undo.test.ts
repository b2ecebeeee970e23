import { readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NEXT, call, script } from '../support/script.ts'
import type { AcpProcess } from './support/acp-process.ts'
import { type AcpSession, attachAcpSession, openAcpSession } from './support/acp-session.ts'
import { type AcpWorld, createAcpWorld } from './support/acp-world.ts'

let world: AcpWorld
let acp: AcpProcess
let session: AcpSession
beforeAll(async () => {
  world = await createAcpWorld()
  acp = await world.start()
  session = await openAcpSession(acp, world.workDir)
})
afterAll(() => world.close())

const at = (name: string): string => join(world.workDir, name)
const read = (name: string): Promise<string> => readFile(at(name), 'utf8')

/** What the agent says to `/undo`. */
async function undo(of = session): Promise<string> {
  const before = acp.updates(of.id).length
  await of.prompt('/undo')
  const said = acp.updates(of.id).slice(before)
  return said.map(({ content }) => (content as { readonly text?: string } | undefined)?.text ?? '').join('')
}

describe('/undo', () => {
  it('restores the files that Edit and Write changed in the last turn, then those of the turn before', async () => {
    await writeFile(at('a.txt'), 'one\r\n')
    await session.prompt(script(call('w1', 'Write', { path: 'new.txt', content: 'new' })))
    await session.prompt(
      script(
        call('e1', 'Edit', { path: 'a.txt', oldText: 'one', newText: 'two' }),
        NEXT,
        call('e2', 'Edit', { path: 'a.txt', oldText: 'two', newText: 'three' }),
        call('w2', 'Write', { path: 'new.txt', content: 'newer' }),
      ),
    )
    expect([await read('a.txt'), await read('new.txt')]).toEqual(['three\r\n', 'newer'])
    expect(await undo()).toContain('Restored 2 of 2 files')
    expect([await read('a.txt'), await read('new.txt')]).toEqual(['one\r\n', 'new'])
    expect(await undo()).toMatch(/Restored 1 of 1 file[^]*`new\.txt`: removed/)
    expect(existsSync(at('new.txt'))).toBe(false)
    expect(await undo()).toContain('There is nothing to undo')
  })

  it('keeps a file that has changed since', async () => {
    await writeFile(at('b.txt'), 'one')
    await writeFile(at('c.txt'), 'one')
    const edit = (id: string, path: string) => call(id, 'Edit', { path, oldText: 'one', newText: 'two' })
    await session.prompt(script(edit('e3', 'b.txt'), edit('e4', 'c.txt')))
    await writeFile(at('b.txt'), 'mine')
    const said = await undo()
    expect(said).toContain('Restored 1 of 2 files')
    expect(said).toContain('`b.txt`: left as it is: it was changed since')
    expect([await read('b.txt'), await read('c.txt')]).toEqual(['mine', 'one'])
  })

  it('does not restore a large file, and reports it', async () => {
    await writeFile(at('large.txt'), `x${'y'.repeat(1_100_000)}`)
    await session.prompt(script(call('e5', 'Edit', { path: 'large.txt', oldText: 'x', newText: 'z' })))
    expect(await undo()).toContain('left as it is: not recorded')
    expect((await read('large.txt')).slice(0, 2)).toBe('zy')
  })
})

describe('/undo with an editor that keeps what it writes unsaved', () => {
  const buffers = new Map<string, string>()
  let inEditor: AcpSession

  beforeAll(async () => {
    acp.onRequest('fs/read_text_file', ({ path }) => ({ content: buffers.get(String(path)) ?? '' }))
    acp.onRequest('fs/write_text_file', ({ path, content }) => {
      buffers.set(String(path), String(content))
      return {}
    })
    const clientCapabilities = { fs: { readTextFile: true, writeTextFile: true } }
    await acp.request('initialize', { protocolVersion: 1, clientCapabilities })
    const { sessionId } = await acp.request('session/new', { cwd: world.workDir, mcpServers: [] })
    inEditor = attachAcpSession(acp, String(sessionId))
  })

  const edit = (id: string, oldText: string, newText: string): string =>
    call(id, 'Edit', { path: 'u.txt', oldText, newText })

  it('restores the text that the editor had, which was not saved, turn by turn', async () => {
    await writeFile(at('u.txt'), 'saved\r\n')
    buffers.set(at('u.txt'), 'typed\n')
    await inEditor.prompt(script(edit('u1', 'typed', 'one'), call('u2', 'Write', { path: 'v.txt', content: 'new' })))
    await inEditor.prompt(script(edit('u3', 'one', 'two'), NEXT, edit('u4', 'two', 'three')))
    expect(buffers.get(at('u.txt'))).toBe('three\n')
    expect(await undo(inEditor)).toContain('Restored 1 of 1 file')
    expect(buffers.get(at('u.txt'))).toBe('one\n')
    expect(await undo(inEditor)).toContain('Restored 2 of 2 files')
    expect([buffers.get(at('u.txt')), buffers.get(at('v.txt'))]).toEqual(['typed\n', ''])
    expect(await undo(inEditor)).toContain('There is nothing to undo')
    expect(await read('u.txt')).toBe('saved\r\n')
  })

  it('restores a text that the editor has saved meanwhile, and removes a saved new file', async () => {
    buffers.set(at('u.txt'), 'typed\n')
    await inEditor.prompt(script(edit('u5', 'typed', 'four'), call('u6', 'Write', { path: 'w.txt', content: 'new' })))
    await writeFile(at('u.txt'), 'four\r\n')
    await writeFile(at('w.txt'), 'new')
    expect(await undo(inEditor)).toContain('Restored 2 of 2 files')
    expect(buffers.get(at('u.txt'))).toBe('typed\n')
    expect(existsSync(at('w.txt'))).toBe(false)
  })

  it('keeps what the user has typed since', async () => {
    buffers.set(at('u.txt'), 'typed\n')
    await inEditor.prompt(edit('u7', 'typed', 'five'))
    buffers.set(at('u.txt'), 'five, and more\n')
    expect(await undo(inEditor)).toContain('left as it is: it was changed since')
    expect(buffers.get(at('u.txt'))).toBe('five, and more\n')
  })
})
