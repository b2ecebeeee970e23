import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { type Serving, type ToolSession, openToolSession } from './tool-session.ts'

const CONFIG = JSON.stringify({
  agents: [
    {
      name: 'rooted',
      instructions: 'Follow the script.',
      model: 'scripted',
      tools: ['Read', 'Write', 'Edit', 'Grep', 'Glob'],
      workspace: '.',
    },
  ],
  permissions: { ceiling: 'full-access' },
})

let dir: TempDir
let start: string
let server: TestServer
beforeAll(async () => {
  dir = await createTempDir()
  start = join(dir.path, 'start')
  await mkdir(start)
  await writeFile(join(start, 'mine.json'), CONFIG)
  server = await startTestServer({ startDir: start, configFile: 'mine.json', database: 'sqlite:own.db' })
})
afterAll(async () => {
  await server.stop()
  await dir.remove()
})

async function statusesOf(session: ToolSession, paths: readonly string[], tool: string, input: object) {
  await session.turn(script(...paths.map((path, index) => call(`c${index}`, tool, { ...input, path }))))
  const calls = await session.calls()
  return Object.fromEntries(paths.map((path, index) => [path, calls.get(`c${index}`)?.status]))
}

/** Also where they do not exist yet: a second configuration would be read at the next start. */
const OWN = ['mine.json', 'polylogue.config.ts', 'polylogue.config.js', 'polylogue.config.json', 'agents/a.md']
const DATABASE = ['own.db', 'own.db-wal', 'own.db-shm', 'own.db.lock']
const all = (paths: readonly string[], status: string | undefined) =>
  Object.fromEntries(paths.map((path) => [path, status]))

/** What is asked for is answered by nobody. */
const ROWS = [
  { preset: 'read-only', user: 'local', config: 'denied' },
  { preset: 'plan', user: 'local', config: 'denied' },
  { preset: 'workspace-write', user: 'local', config: undefined },
  { preset: 'read-only', user: 'ann', config: 'denied' },
  { preset: 'plan', user: 'ann', config: 'denied' },
  { preset: 'workspace-write', user: 'ann', config: undefined },
  { preset: 'full-access', user: 'ann', config: 'denied' },
] as const

describe.each(ROWS)('C15: where $user works beside the configuration and the database in $preset', (row) => {
  const open = async (): Promise<ToolSession> => {
    const key = row.user === 'local' ? server.key : await server.createKey(row.user)
    const client: Serving['client'] = (dialect) => server.client(dialect, key)
    const serving = { url: server.url, dataDir: server.dataDir, key, client }
    return openToolSession(serving, { agent: 'rooted', preset: row.preset })
  }

  it('neither is written unasked', async () => {
    const before = await readdir(start)
    expect(await statusesOf(await open(), DATABASE, 'Write', { content: 'evil' })).toEqual(all(DATABASE, 'denied'))
    expect(await statusesOf(await open(), OWN, 'Write', { content: 'evil' })).toEqual(all(OWN, row.config))
    expect(await readFile(join(start, 'mine.json'), 'utf8')).toBe(CONFIG)
    expect(await readdir(start)).toEqual(before)
  })

  it('neither is read unasked', async () => {
    const read = ['own.db']
    expect(await statusesOf(await open(), read, 'Read', {})).toEqual(all(read, 'denied'))
    expect(await statusesOf(await open(), ['mine.json'], 'Read', {})).toEqual(all(['mine.json'], row.config))
  })
})

it('C15: the user who runs the server may change the configuration in full-access, and never the database', async () => {
  const session = await openToolSession(server, { agent: 'rooted', preset: 'full-access' })
  expect(await statusesOf(session, ['agents/a.md', 'own.db'], 'Write', { content: 'mine' })).toEqual({
    'agents/a.md': 'completed',
    'own.db': 'denied',
  })
  await rm(join(start, 'agents'), { recursive: true })
})

it('files beside them can be written', async () => {
  const session = await openToolSession(server, { agent: 'rooted' })
  expect(await statusesOf(session, ['notes.json'], 'Write', { content: 'mine' })).toEqual({ 'notes.json': 'completed' })
  expect(await readFile(join(start, 'notes.json'), 'utf8')).toBe('mine')
})
