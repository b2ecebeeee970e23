import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { createSession, startTurn } from '../test-support/aap.ts'
import { createKeyOf } from '../test-support/ask-owner.ts'
import { exchange } from '../test-support/exchange.ts'
import { startServer, type TestServer } from '../test-support/start-server.ts'

const SESSIONS = '/api/polylogue/sessions'
const get = (server: TestServer, path: string, key = server.localKey) =>
  exchange(server.url + path, { headers: { authorization: `Bearer ${key}` } })

it('pages through the sessions, newest first', async () => {
  const server = await startServer()
  const ids: string[] = []
  for (let count = 0; count < 3; count++) ids.unshift(await createSession(server.url, server.localKey))
  const first = await get(server, `${SESSIONS}?limit=2`)
  expect(first.body).toMatchObject({
    sessions: ids.slice(0, 2).map((sessionId) => ({ sessionId, agent: 'scripted', status: 'idle', user: 'local' })),
    next: ids[1],
  })
  const second = await get(server, `${SESSIONS}?limit=2&before=${ids[1]}`)
  expect(second.body).toEqual({ sessions: [expect.objectContaining({ sessionId: ids[2] })] })
})

it('shows all of a session: what it is, what was said, and how many events that took', async () => {
  const server = await startServer()
  const sessionId = await createSession(server.url, server.localKey)
  await text(await startTurn(server.url, server.localKey, { sessionId, script: 'think hm\nsay hello' }))
  const { body } = await get(server, `${SESSIONS}/${sessionId}`)
  expect(body).toEqual({
    session: expect.objectContaining({
      sessionId,
      title: 'think hm say hello',
      status: 'idle',
      lastOutcome: 'finished',
    }),
    messages: [
      { role: 'user', content: 'think hm\nsay hello' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', text: 'hm' },
          { type: 'text', text: 'hello' },
        ],
      },
    ],
    events: expect.any(Number),
  })
  expect((body as { events: number }).events).toBeGreaterThan(4)
})

const make = (server: TestServer, body: unknown, key = server.localKey) =>
  exchange(server.url + SESSIONS, { headers: { authorization: `Bearer ${key}` }, body })

it('makes a session whose tools are judged by a preset', async () => {
  const server = await startServer()
  const { status, body } = await make(server, { agent: 'scripted', preset: 'plan' })
  expect([status, body]).toEqual([201, { sessionId: expect.any(String) }])
  const { sessionId } = body as { sessionId: string }
  expect((await get(server, `${SESSIONS}/${sessionId}`)).body).toMatchObject({
    session: { agent: 'scripted', preset: 'plan', status: 'idle' },
    messages: [],
  })
  const turn = await text(
    await startTurn(server.url, server.localKey, { sessionId, script: 'call c1 echo {"msg":"not asked for"}' }),
  )
  expect(turn).toContain('"content":"not asked for"')
})

it('takes the default agent and the usual preset when neither is named', async () => {
  const server = await startServer()
  const { sessionId } = (await make(server, {})).body as { sessionId: string }
  expect((await get(server, `${SESSIONS}/${sessionId}`)).body).toMatchObject({
    session: { agent: 'assistant', preset: 'workspace-write' },
  })
})

it.each([
  [{ agent: 'nobody' }, 'agent: there is no agent called nobody'],
  [{ agent: 7 }, 'agent: '],
  [{ preset: 'anything' }, 'preset: '],
  [[], 'body: '],
])('refuses to make a session of %j and names the field', async (body, sentence) => {
  const server = await startServer()
  const refused = await make(server, body)
  expect(refused.status).toBe(400)
  expect((refused.body as { error: string }).error).toMatch(new RegExp(`^${sentence}`))
})

it('lets only the local user skip all approvals', async () => {
  const server = await startServer()
  const anna = await createKeyOf('anna', server.dataDir)
  expect((await make(server, { preset: 'full-access' }, anna.key)).status).toBe(403)
  expect((await make(server, { preset: 'full-access' })).status).toBe(201)
  expect((await make(server, { preset: 'read-only' }, anna.key)).status).toBe(201)
})

it("another user's session is as unknown as one that never existed, and is not listed", async () => {
  const server = await startServer()
  const anna = await createKeyOf('anna', server.dataDir)
  const sessionId = await createSession(server.url, anna.key)
  const foreign = await get(server, `${SESSIONS}/${sessionId}`)
  const unknown = await get(server, `${SESSIONS}/00000000-0000-7000-8000-000000000000`)
  expect([foreign.status, foreign.body]).toEqual([404, unknown.body])
  expect((await get(server, SESSIONS)).body).toEqual({ sessions: [] })
  expect((await get(server, `${SESSIONS}/${sessionId}`, anna.key)).status).toBe(200)
})

it.each(['limit=0', 'limit=101', 'limit=x', 'before=x'])('the query %s is refused', async (query) => {
  const server = await startServer()
  expect((await get(server, `${SESSIONS}?${query}`)).status).toBe(400)
})

it('is described in the same OpenAPI document as the other REST routes', async () => {
  const server = await startServer()
  const { body } = await get(server, '/openapi.json')
  const { paths } = body as { paths: Record<string, Record<string, { responses: Record<string, unknown> }>> }
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/api/sessions', `${SESSIONS}/{id}/waiting`]))
  expect(JSON.stringify(paths[SESSIONS]?.['post']?.responses['400'])).toContain('#/components/schemas/ConsoleRefusal')
  expect(JSON.stringify(body)).toContain('"ConsoleRefusal":{')
  expect((await get(server, '/docs')).status).toBe(200)
})
