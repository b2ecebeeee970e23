import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { type ToolSession, openToolSession } from './tool-session.ts'

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

/** Also where they are not there yet: a second configuration would be read at the next start. */
const OWN = ['mine.json', 'polylogue.config.ts', 'polylogue.config.js', 'polylogue.config.json', 'agents/a.md']
const DATABASE = ['own.db', 'own.db-wal', 'own.db-shm', 'own.db.lock']
const denied = (paths: readonly string[]) => Object.fromEntries(paths.map((path) => [path, 'denied']))

it('C15: a configuration and a database with names of their own are not written, where agents work beside them', async () => {
  const session = await openToolSession(server, { agent: 'rooted', preset: 'full-access' })
  const before = await readdir(start)
  const paths = [...OWN, ...DATABASE]
  expect(await statusesOf(session, paths, 'Write', { content: 'evil' })).toEqual(denied(paths))
  expect(await readFile(join(start, 'mine.json'), 'utf8')).toBe(CONFIG)
  expect(await readdir(start)).toEqual(before)
})

it('C15: they are not read either', async () => {
  const session = await openToolSession(server, { agent: 'rooted', preset: 'full-access' })
  const paths = ['mine.json', 'own.db']
  expect(await statusesOf(session, paths, 'Read', {})).toEqual(denied(paths))
})

it('what lies beside them is written', async () => {
  const session = await openToolSession(server, { agent: 'rooted' })
  expect(await statusesOf(session, ['notes.json'], 'Write', { content: 'mine' })).toEqual({ 'notes.json': 'completed' })
  expect(await readFile(join(start, 'notes.json'), 'utf8')).toBe('mine')
})
