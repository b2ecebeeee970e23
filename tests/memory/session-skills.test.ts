import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call, script, shown } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { type ToolSession, attachToolSession, openToolSession } from '../tools/tool-session.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

/** As the server itself keeps a skill that a client has given to a session. */
async function keepSkill(sessionId: string): Promise<string> {
  const folder = join(server.dataDir, 'session-skills', sessionId)
  const directory = join(folder, 'acme+review')
  const files = [join(directory, 'list.md')]
  const skill = { name: 'acme/review', description: 'How to review', body: 'Read it twice.', directory, files }
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'list.md'), 'spelling')
  await writeFile(join(folder, 'skills.json'), JSON.stringify([{ ...skill, hasMoreFiles: false }]))
  return directory
}

async function describeSkills(session: ToolSession): Promise<string> {
  const tools = shown((await session.turn('show tools')).messages) as readonly {
    readonly name: string
    readonly description: string
  }[]
  return tools.find(({ name }) => name === 'Skill')?.description ?? ''
}

it('a session has its skills again after a restart, with files that its tools read, and takes them along', async () => {
  const [before, otherBefore] = [await openToolSession(server), await openToolSession(server)]
  const directory = await keepSkill(before.id)
  await server.restart()
  const session = attachToolSession(server, before.id)
  const other = attachToolSession(server, otherBefore.id)
  expect(await describeSkills(session)).toContain('- acme/review: How to review')
  expect(await describeSkills(other)).toContain('There are none on this server.')

  const path = join(directory, 'list.md')
  await session.turn(
    script(
      call('s1', 'Skill', { name: 'acme/review' }),
      call('r1', 'Read', { path }),
      call('w1', 'Write', { path, content: 'evil' }),
    ),
  )
  const calls = await session.calls()
  expect(JSON.stringify(calls.get('s1')?.output)).toContain('Read it twice.')
  expect(JSON.stringify(calls.get('r1')?.output)).toContain('spelling')
  expect(calls.get('w1')?.status).toBe('denied')
  await other.turn(script(call('r2', 'Read', { path })))
  expect((await other.callOf('r2')).status).toBe('denied')
  expect(await readFile(path, 'utf8')).toBe('spelling')

  await session.client.remove(session.id)
  expect(existsSync(directory)).toBe(false)
})
