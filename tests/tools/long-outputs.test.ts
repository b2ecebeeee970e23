import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { openToolSession } from './tool-session.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

it('the file with all of a long output is for the tools of its session that read, and goes with the session', async () => {
  const session = await openToolSession(server, { preset: 'full-access' })
  await session.turn(script(call('b1', 'Bash', { command: 'seq 1 30000' })))
  const [, path = ''] = /all of it is in (\S+) …/.exec(JSON.stringify((await session.callOf('b1')).output)) ?? []
  expect(path).toContain(server.dataDir)
  await session.turn(
    script(
      call('r1', 'Read', { path, offset: 15_000, limit: 2 }),
      call('r2', 'Grep', { pattern: '^29999$', path }),
      call('r3', 'Write', { path, content: 'x' }),
      call('r4', 'Read', { path: dirname(dirname(path)) }),
    ),
  )
  const calls = await session.calls()
  expect(JSON.stringify(calls.get('r1')?.output)).toContain('15001')
  expect(JSON.stringify(calls.get('r2')?.output)).toContain('29999')
  expect([calls.get('r3')?.status, calls.get('r4')?.status]).toEqual(['denied', 'denied'])

  const other = await openToolSession(server, { preset: 'full-access' })
  await other.turn(script(call('o1', 'Read', { path })))
  expect((await other.callOf('o1')).status).toBe('denied')

  await session.client.remove(session.id)
  expect(existsSync(dirname(path))).toBe(false)
})
