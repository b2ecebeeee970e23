// What is changed over REST is told to whoever has subscribed.
import { finishes, hangs, says, testDigest } from '@polylogue/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toTurn } from '../fold/session-fold.ts'
import { attachBlade } from '../socket/attach-blade.ts'
import { LIMITS, TestClient } from '../test-support/open-door.ts'
import { ANN, openRest, type Rest } from './test-support/open-rest.ts'

let rest: Rest
let closeSockets: () => Promise<void>
beforeEach(async () => {
  rest = await openRest()
})
afterEach(async () => {
  await closeSockets()
  await rest.close()
})

/** A client that has subscribed to a new session. */
async function subscribe() {
  const { engine, agents, clock, deps } = rest
  const sockets = attachBlade(rest.server, {
    engine,
    agents,
    clock,
    digest: testDigest,
    describe: deps.describe,
    limits: LIMITS,
    authenticate: async () => ({ userId: ANN, keyId: 'ann', revoked: new AbortController().signal }),
    sockets: { admit: () => () => undefined, dropped: () => undefined },
    log: () => undefined,
  })
  const client = new TestClient({ url: rest.url, token: 'ann', transports: ['websocket'] })
  closeSockets = () => {
    client.close()
    return sockets.close()
  }
  await client.connect()
  const { session_id: id } = (await rest.send('POST', '/api/sessions', { body: {} })).body
  expect(await client.subscribe(id)).toMatchObject({ status: 'ok' })
  return { client, id }
}

describe('subscribers are notified', () => {
  it('blade 20: of another intent', async () => {
    const { client, id } = await subscribe()
    await rest.send('PATCH', `/api/sessions/${id}`, { body: { intent: 'Another' } })
    await client.until('session:updated')
    expect(client.of('session:updated')).toEqual([expect.objectContaining({ session_id: id, intent: 'Another' })])
  })

  it('blade 21: of pin, memory and sharing', async () => {
    const { client, id } = await subscribe()
    await rest.send('PATCH', `/api/sessions/${id}/pin`, { body: { pinned: true } })
    await rest.send('PATCH', `/api/sessions/${id}/memory`, { body: { memory_enabled: false } })
    await rest.send('PATCH', `/api/sessions/${id}/sharing`, { body: { shared: true } })
    await client.until('session:updated', 3)
    expect(client.of('session:updated')).toEqual([
      expect.objectContaining({ is_pinned: true }),
      expect.objectContaining({ memory_enabled: false }),
      expect.objectContaining({ shared: true }),
    ])
  })

  it('blade 23: of the end of a run before its session is deleted', async () => {
    const { client, id } = await subscribe()
    rest.model.push([says('begun'), hangs])
    expect(await client.send(id, 'go')).toMatchObject({ status: 'ok' })
    await client.until('turn:patch')
    const deleted = rest.send('DELETE', `/api/sessions/${id}`)
    await client.until('chat:end')
    expect(client.of('chat:end')).toMatchObject([{ session_id: id, status: 'interrupted' }])
    expect((await deleted).body).toEqual({ deleted: true })
  })

  it('blade 49: messages read upon chat:end equal the events sent', async () => {
    const { client, id } = await subscribe()
    rest.model.push([says('Hello'), finishes()])
    await client.say(id, 'hi')
    const messages: unknown = (await rest.send('GET', `/api/sessions/${id}/messages`)).body
    const told = client.of('turn:end').map(toTurn)
    expect(told.map((turn) => ({ ...turn, solution_id: undefined, template_id: undefined }))).toEqual(messages)
  })

  it('blade 50: the session has ended when chat:end arrives', async () => {
    const { client, id } = await subscribe()
    await client.say(id, 'hi')
    expect((await rest.send('GET', `/api/sessions/${id}`)).body.status).toBe('completed')
  })
})
