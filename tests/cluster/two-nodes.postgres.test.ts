import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import { eventually } from '../support/eventually.ts'
import { call, script, NEXT } from '../support/script.ts'
import { askOwner } from '../support/owner-socket.ts'
import { createTestDatabase } from '../support/test-database.ts'
import type { ServerDatabase } from '../support/databases.ts'
import { revokeKeys } from './support/revoke-keys.ts'
import { COUNTING_TOOLS, prepareNodes, type Nodes } from './support/nodes.ts'

let database: ServerDatabase
let nodes: Nodes

beforeEach(async () => {
  database = await createTestDatabase()
  nodes = await prepareNodes(database.url)
})
afterEach(async () => {
  await nodes.remove()
  await database.drop()
})

describe('two nodes on one database', { timeout: 90_000 }, () => {
  it('cluster 34, 35: kill -9 of the node that runs a turn: the other continues within 10 s, and the client reads on there', async () => {
    const [a, b] = await Promise.all([nodes.start('a'), nodes.start('b')])
    const session = await openSession(a.client(V3), { agent: 'counting', tools: COUNTING_TOOLS })
    const [counted, lingered] = [nodes.counting.nextRun(), nodes.counting.nextRun()]
    const stream = await session.stream(
      'delta',
      script(call('c1', 'count', { run: counted }), NEXT, call('c2', 'linger', { run: lingered }), NEXT, 'say done'),
    )
    void stream.finished().catch(() => undefined)
    await nodes.untilRun(lingered)
    const killedAt = performance.now()
    await a.kill()
    const there = attachSession(b.client(V3), session.id)
    const events = await b.client(V3).events(session.id, '?after=0')
    const frames = await events.finished()
    // Ten seconds, and some for a machine that is busy with other tests.
    expect(performance.now() - killedAt).toBeLessThan(20_000)
    expect(frames.at(-1)?.event).toBe('turn_stop')
    expect(await nodes.counting.timesRun(counted)).toBe(1)
    expect(await nodes.counting.timesRun(lingered)).toBe(1)
    const history = JSON.stringify(await there.history())
    expect(history).toContain('Outcome unknown')
    expect(history).toContain('done')
  })

  it('cluster 48, 53: a stream on one node of a turn on the other, which is cancelled from there', async () => {
    const [a, b] = await Promise.all([nodes.start('a'), nodes.start('b')])
    const session = await openSession(a.client(V3), { agent: 'counting', tools: COUNTING_TOOLS })
    const run = nodes.counting.nextRun()
    const own = await session.stream('delta', script('say Hello', call('c1', 'linger', { run })))
    const ended = own.finished()
    const events = await b.client(V3).events(session.id, '?after=0')
    await nodes.untilRun(run)
    const known = (await askOwner(b.dataDir, { method: 'GET', path: '/api/polylogue/nodes' })).body
    expect(known).toMatchObject({
      nodes: [
        { role: 'all', isAlive: true },
        { role: 'all', isAlive: true },
      ],
      leases: [{ sessionId: session.id, nodeId: expect.stringMatching(`^${a.pid}-`) }],
    })
    for (const { dataDir } of [a, b]) {
      const path = `/api/polylogue/sessions/${session.id}/clients`
      const { clients } = (await askOwner(dataDir, { method: 'GET', path })).body as { clients: object[] }
      expect(clients).toMatchObject([{ door: 'aap/v3' }, { door: 'aap/v3' }])
    }
    expect((await b.client(V3).cancel(session.id)).status).toBeLessThan(300)
    const [here, there] = [await ended, await events.finished()]
    const textOf = (frames: typeof here): string =>
      frames.map(({ event, data }) => (event === 'text_delta' ? String(data['delta']) : '')).join('')
    expect(textOf(there)).toBe('Hello')
    expect(textOf(here)).toBe('Hello')
    expect(there.at(-1)).toMatchObject({ event: 'turn_stop', data: here.at(-1)?.data })
  })

  it('cluster 31, 55, 56, 58: a rolling restart loses nothing, and rules, sign-ins and revoked keys hold on all nodes', async () => {
    const [a, b] = await Promise.all([nodes.start('a'), nodes.start('b')])
    const key = await a.createKey('anna')
    const session = await openSession(a.client(V3, key), { agent: 'counting', tools: COUNTING_TOOLS })
    await session.turn('say one')
    expect(await a.stop()).toBe(0)
    await attachSession(b.client(V3, key), session.id).turn('say two')
    const again = await nodes.start('a')
    expect(JSON.stringify(await attachSession(again.client(V3, key), session.id).history())).toContain('two')
    const post = (url: string, content: unknown): Promise<Response> =>
      fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', origin: new URL(url).origin },
        body: JSON.stringify(content),
      })
    expect((await post(`${again.url}/api/polylogue/permissions`, { tool: 'count', action: 'deny' })).status).toBe(201)
    const run = nodes.counting.nextRun()
    const there = attachSession(b.client(V3, key), session.id)
    await there.turn(script(call('c1', 'count', { run }), NEXT, 'say three'))
    expect(await nodes.counting.timesRun(run)).toBe(0)

    const { url: link } = (await (await post(`${again.url}/api/polylogue/signin-codes`, {})).json()) as { url: string }
    const code = link.slice(link.indexOf('#code=') + 6)
    expect((await post(`${b.url}/signin`, { code })).status).toBe(200)
    expect((await post(`${again.url}/signin`, { code })).status).toBe(401)

    const lingering = await there.stream('delta', script(call('c2', 'linger', { run: nodes.counting.nextRun() })))
    const revokedAt = performance.now()
    await revokeKeys(again, 'anna')
    await eventually(
      async () => ((await b.client(V3, key).get(session.id)).status === 401 ? true : undefined),
      'the other node refuses the key',
    )
    // A stream that the key has opened ends, too. One second is promised, on a machine with nothing else to do.
    await lingering.finished().catch(() => undefined)
    expect(performance.now() - revokedAt).toBeLessThan(15_000)
  })
})
