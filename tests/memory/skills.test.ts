import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { textOf } from '../support/played-turn.ts'
import { call, script, shown } from '../support/script.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { openToolSession } from '../tools/tool-session.ts'

const SKILL = '---\nname: release\ndescription: How to release the product\n---\n# Release\n\nTag it, then push.\n'
const CONFIG = {
  agents: [
    {
      name: 'rooted',
      instructions: 'Follow the script.',
      model: 'scripted',
      tools: ['Skill', 'Read', 'Write', 'Edit'],
      workspace: '.',
    },
  ],
  skills: ['skills', 'more'],
}

let dir: TempDir
let server: TestServer
beforeAll(async () => {
  dir = await createTempDir()
  await write('polylogue.config.json', JSON.stringify(CONFIG))
  await write('skills/release/SKILL.md', SKILL)
  await write('skills/release/notes/checklist.md', 'one')
  await write('more/review/SKILL.md', SKILL.replace('release', 'review'))
  server = await startTestServer({ startDir: dir.path })
})
afterAll(async () => {
  await server.stop()
  await dir.remove()
})

async function write(path: string, text: string, root = dir.path): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

describe('Skill', () => {
  it('lists the skills of the server and returns one with its files', async () => {
    const session = await openSession(server.client(V3), {
      agent: 'rooted',
      tools: [{ name: 'Skill', trust: true }],
    })
    const tools = shown((await session.turn('show tools')).messages) as readonly { readonly description: string }[]
    expect(tools.map(({ description }) => description)).toEqual([
      expect.stringContaining('\n- release: How to release the product\n- review: How to release the product'),
    ])
    const { messages } = await session.turn(script(call('s1', 'Skill', { name: 'release' })))
    expect(textOf(messages)).toContain('# Release\n\nTag it, then push.')
    expect(textOf(messages)).toContain(`- ${join(dir.path, 'skills/release/notes/checklist.md')}`)
  })

  it('brings files that can be read and searched, from wherever a session works', async () => {
    const session = await openToolSession(server)
    const folder = join(dir.path, 'skills/release')
    await session.turn(
      script(
        call('r1', 'Read', { path: join(folder, 'notes/checklist.md') }),
        call('r2', 'Grep', { pattern: 'o.e', path: folder }),
        call('r3', 'Glob', { pattern: '**/*.md', path: folder }),
        call('r4', 'Read', { path: join(folder, '../../polylogue.config.json') }),
        call('r5', 'Read', { path: join(folder, '..') }),
        call('r6', 'Write', { path: join(folder, 'notes/checklist.md'), content: 'evil' }),
        call('r7', 'Edit', { path: join(folder, 'SKILL.md'), oldText: 'Tag it', newText: 'Delete it' }),
      ),
    )
    const calls = await session.calls()
    const statuses = [1, 2, 3, 4, 5, 6, 7].map((number) => calls.get(`r${number}`)?.status)
    const [readable, outside] = ['completed', 'denied']
    expect(statuses).toEqual([readable, readable, readable, outside, outside, outside, outside])
    for (const id of ['r1', 'r2']) expect(JSON.stringify(calls.get(id)?.output)).toContain('one')
    expect(JSON.stringify(calls.get('r3')?.output)).toContain('checklist.md')
    expect(await readFile(join(folder, 'notes/checklist.md'), 'utf8')).toBe('one')
  })

  it('belongs to the agents that name it, and to the scripted one', async () => {
    const { body } = await server.client(V3).meta()
    const names = body.agents.map(({ name, tools = [] }) => [name, tools.map((tool) => tool.name).includes('Skill')])
    expect(names).toEqual([
      ['rooted', true],
      ['scripted', true],
      ['scripted-min', false],
    ])
  })

  it('says nothing that an agent wrote unasked: a change of skills waits for an approval where agents work beside them', async () => {
    const session = await openToolSession(server, { agent: 'rooted', preset: 'workspace-write' })
    const paths = ['skills/evil/SKILL.md', 'skills/release/SKILL.md', 'more/evil/SKILL.md']
    await session.turn(script(...paths.map((path, index) => call(`w${index}`, 'Write', { path, content: 'evil' }))))
    await session.turn(script(call('r1', 'Read', { path: 'skills/release/SKILL.md' })))
    const calls = await session.calls()
    expect(calls.get('r1')?.status).toBe('completed')
    // The next message took their place while they waited.
    expect(paths.map((_, index) => calls.get(`w${index}`)?.status)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect(await readdir(join(dir.path, 'skills'))).toEqual(['release'])
    expect(await readFile(join(dir.path, 'skills/release/SKILL.md'), 'utf8')).toBe(SKILL)
  })
})

describe('a server', () => {
  it('does not start with a skill that is wrong, and names its file', async () => {
    const other = await createTempDir()
    await write('skills/bad/SKILL.md', '---\nname: bad\n---\nDo it.', other.path)
    const file = join(other.path, 'skills/bad/SKILL.md')
    await expect(startTestServer({ startDir: other.path })).rejects.toThrow(`${file}: description: is missing`)
    await write('polylogue.config.json', '{"skills": ["elsewhere"]}', other.path)
    await expect(startTestServer({ startDir: other.path })).rejects.toThrow(
      `${join(other.path, 'elsewhere')}: there is no such directory`,
    )
    await other.remove()
  })
})
