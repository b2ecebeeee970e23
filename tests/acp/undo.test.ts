import { readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NEXT, call, script } from '../support/script.ts'
import type { AcpProcess } from './support/acp-process.ts'
import { type AcpSession, openAcpSession } from './support/acp-session.ts'
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
async function undo(): Promise<string> {
  const before = acp.updates(session.id).length
  await session.prompt('/undo')
  const said = acp.updates(session.id).slice(before)
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
    expect(await undo()).toContain('Restored 1 of 1 file')
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
    expect(said).toContain(`\`${at('b.txt')}\`: left as it is: it was changed since`)
    expect([await read('b.txt'), await read('c.txt')]).toEqual(['mine', 'one'])
  })

  it('does not restore a large file, and reports it', async () => {
    await writeFile(at('large.txt'), `x${'y'.repeat(1_100_000)}`)
    await session.prompt(script(call('e5', 'Edit', { path: 'large.txt', oldText: 'x', newText: 'z' })))
    expect(await undo()).toContain('left as it is: not recorded')
    expect((await read('large.txt')).slice(0, 2)).toBe('zy')
  })
})
