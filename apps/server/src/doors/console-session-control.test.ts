import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { createSession, startTurn } from '../test-support/aap.ts'
import { createKeyOf } from '../test-support/ask-owner.ts'
import { exchange } from '../test-support/exchange.ts'
import { startServer, type TestServer } from '../test-support/start-server.ts'

const ask = (server: TestServer, method: string, path: string, body?: object, key = server.localKey) =>
  exchange(`${server.url}/api/polylogue/sessions${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })

it('changes the mode of a session, and planning ends where it began', async () => {
  const server = await startServer()
  const id = await createSession(server.url, server.localKey)
  expect((await ask(server, 'PATCH', `/${id}`, { preset: 'read-only' })).body).toEqual({ preset: 'read-only' })
  expect((await ask(server, 'PATCH', `/${id}`, { planning: true })).body).toEqual({ preset: 'plan' })
  expect((await ask(server, 'PATCH', `/${id}`, { planning: false })).body).toEqual({ preset: 'read-only' })
  expect(await ask(server, 'PATCH', `/${id}`, { preset: 'everything' })).toMatchObject({ status: 400 })
  expect(await ask(server, 'PATCH', `/${id}`, { preset: 'plan', planning: true })).toMatchObject({ status: 400 })
})

it('limits users other than local to the ceiling', async () => {
  const server = await startServer()
  const { key } = await createKeyOf('ann', server.dataDir)
  const id = await createSession(server.url, key)
  expect(await ask(server, 'PATCH', `/${id}`, { preset: 'full-access' }, key)).toMatchObject({ status: 403 })
  expect(await ask(server, 'PATCH', `/${id}`, { preset: 'plan' }, key)).toMatchObject({ status: 200 })
})

it('stops one call while the turn continues', async () => {
  const server = await startServer()
  const made = await ask(server, 'POST', '', { agent: 'scripted' })
  const id = (made.body as { sessionId: string }).sessionId
  const turn = startTurn(server.url, server.localKey, { sessionId: id, script: 'call a slow {"ms":60000}' })
  const cancel = () => ask(server, 'POST', `/${id}/calls/a/cancel`, {})
  await expect.poll(async () => (await cancel()).body, { timeout: 10_000 }).toEqual({ cancelled: true })
  expect(await text(await turn)).toContain('Tool call cancelled')
  expect((await cancel()).body).toEqual({ cancelled: false })
})

it('shows the log in pages, to its owner alone', async () => {
  const server = await startServer()
  const id = await createSession(server.url, server.localKey)
  await text(await startTurn(server.url, server.localKey, { sessionId: id, script: 'say hello' }))
  const first = await ask(server, 'GET', `/${id}/events?limit=2`)
  expect(first.body).toMatchObject({ events: [{ seq: 1, event: { type: 'session.created' } }, { seq: 2 }], next: 2 })
  const rest = await ask(server, 'GET', `/${id}/events?after=2`)
  expect(JSON.stringify(rest.body)).toContain('"turn.ended"')
  expect(rest.body).not.toHaveProperty('next')
  const { key: stranger } = await createKeyOf('ann', server.dataDir)
  for (const [method, path] of [
    ['GET', `/${id}/events`],
    ['PATCH', `/${id}`],
    ['POST', `/${id}/calls/a/cancel`],
  ] as const) {
    const answer = await ask(server, method, path, method === 'GET' ? undefined : {}, stranger)
    expect([method, path, answer.status]).toEqual([method, path, 404])
  }
})

it('lists and runs the commands of a session, for its owner alone', async () => {
  const server = await startServer()
  const made = await ask(server, 'POST', '', { agent: 'scripted' })
  const id = (made.body as { sessionId: string }).sessionId
  const names = ((await ask(server, 'GET', `/${id}/commands`)).body as { commands: { name: string }[] }).commands
  expect(names.map(({ name }) => name)).toEqual(['init', 'review', 'undo'])
  expect((await ask(server, 'POST', `/${id}/commands`, { name: 'review', rest: ' the tests ' })).body).toEqual({
    type: 'prompt',
    text: expect.stringMatching(/^Review changes.*\n\nthe tests$/s),
  })
  expect((await ask(server, 'POST', `/${id}/commands`, { name: 'undo' })).body).toEqual({
    type: 'said',
    text: expect.stringContaining('There is nothing to undo'),
  })
  expect(await ask(server, 'POST', `/${id}/commands`, { name: 'dance' })).toMatchObject({ status: 404 })
  const { key: stranger } = await createKeyOf('ann', server.dataDir)
  expect(await ask(server, 'GET', `/${id}/commands`, undefined, stranger)).toMatchObject({ status: 404 })
  expect(await ask(server, 'POST', `/${id}/commands`, { name: 'undo' }, stranger)).toMatchObject({ status: 404 })
})
