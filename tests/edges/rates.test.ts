// How often and how much at once: per key, per user and per address.
import { afterEach, describe, expect, it } from 'vitest'
import { openSession } from '../support/aap-session.ts'
import { eventually } from '../support/eventually.ts'
import { exchangeJson, exchangeText } from '../support/http-exchange.ts'
import { bearer, type EdgeServer, startEdgeServer } from './edge-server.ts'
import { readMetric } from './read-metric.ts'

let server: EdgeServer
afterEach(() => server.stop())

const me = (headers: Readonly<Record<string, string>>) =>
  exchangeJson<{ error?: string }>({ method: 'GET', url: `${server.url}/api/polylogue/me`, headers })
const say = (content: string) => ({ messages: [{ role: 'user', content }] })

describe('S6: requests of a key', () => {
  it('S6: are 429 with a time to wait when there are too many, and other keys are not concerned', async () => {
    server = await startEdgeServer({ config: { limits: { requestsPerKeyPerMinute: 20 } } })
    const anna = await server.createKey('anna')
    const statuses = []
    for (let count = 0; count < 22; count++) statuses.push((await me(bearer(anna))).status)
    expect(statuses).toEqual([...Array(20).fill(200), 429, 429])
    const refused = await me(bearer(anna))
    expect(refused.headers['retry-after']).toBe('3')
    expect(refused.body.error).toBe('Too many requests with this key.')
    expect((await server.client(anna).meta()).status).toBe(429)
    expect((await me(bearer(server.key))).status).toBe(200)
    expect((await me(bearer(await server.createKey('anna')))).status).toBe(200)
    expect(await readMetric(server, 'polylogue_http_refusals_total', 'limit="requests"')).toBe(4)
  })
})

describe('S6: inputs and turns of a user', () => {
  it('S6: inputs are 429 when there are too many in a minute, whatever key they come with', async () => {
    server = await startEdgeServer({ config: { limits: { promptsPerUserPerMinute: 3 } } })
    const [first, second, bob] = await Promise.all(['anna', 'anna', 'bob'].map((user) => server.createKey(user)))
    const client = server.client(first)
    const session = await openSession(client)
    for (let count = 0; count < 3; count++) expect((await client.turn(session.id, say('say x'))).status).toBe(200)
    for (const key of [first, second]) {
      const refused = await server.client(key).turn(session.id, say('say x'))
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5'])
      expect(refused.body).toMatchObject({ code: 'too-many-turns' })
    }
    expect((await client.get(session.id)).status).toBe(200)
    const other = await openSession(server.client(bob))
    expect((await server.client(bob).turn(other.id, say('say x'))).status).toBe(200)
  })

  it('S6: running turns are bounded, also when they are asked for at once; an ended one makes room', async () => {
    server = await startEdgeServer({ config: { limits: { runningTurnsPerUser: 3 } } })
    const client = server.client()
    const sessions = await Promise.all(Array.from({ length: 8 }, () => openSession(client)))
    const streams = await Promise.all(
      sessions.map(({ id }) => client.streamTurn(id, { stream: 'delta', ...say('say begun\nsleep 60000') })),
    )
    const statuses = streams.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(3)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
    expect(await readMetric(server, 'polylogue_running_turns')).toBe(3)

    const running = sessions[statuses.indexOf(200)]
    expect((await client.cancel(running?.id ?? '')).status).toBe(202)
    await eventually(
      async () => ((await readMetric(server, 'polylogue_running_turns')) === 2 ? true : undefined),
      'two run',
    )
    const idle = sessions[statuses.indexOf(429)]
    expect((await client.turn(idle?.id ?? '', say('say x'))).status).toBe(200)
    for (const stream of streams) stream.cut()
    for (const { id } of sessions) await client.cancel(id)
  })
})

describe('S6: wrong keys', () => {
  const config = { limits: { loopback: 'counted' } }
  const wrong = bearer('sk-blade-v2-wrong')

  it('S6: ten in a minute from one address are enough, and the right key is let in all the same', async () => {
    server = await startEdgeServer({ config })
    for (let count = 0; count < 10; count++) expect((await me(wrong)).status).toBe(401)
    const refused = await me(wrong)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50)
    expect((await me(bearer(server.key))).status).toBe(200)
  })

  it('S6: another X-Forwarded-For does not begin a new count, and no key is no wrong key', async () => {
    server = await startEdgeServer({ config })
    for (let count = 0; count < 20; count++) expect((await me({})).status).toBe(401)
    for (let count = 0; count < 10; count++) {
      const spoofed = {
        'x-forwarded-for': `198.51.100.${count}`,
        forwarded: `for=198.51.100.${count}`,
        'x-real-ip': '198.51.100.1',
      }
      expect((await me({ ...wrong, ...spoofed })).status).toBe(401)
    }
    expect((await me({ ...wrong, 'x-forwarded-for': '203.0.113.9' })).status).toBe(429)
  })

  it('S6: behind a trusted proxy each client is counted separately, and cannot choose its address', async () => {
    server = await startEdgeServer({ config: { ...config, trustedProxies: ['127.0.0.1', '10.0.0.0/8'] } })
    const from = (forwarded: string, headers = wrong) => me({ ...headers, 'x-forwarded-for': forwarded })
    for (let count = 0; count < 10; count++) {
      // What stands before the address that the proxies saw is the client's own invention.
      expect((await from(`203.0.113.${count}, 198.51.100.7, 10.1.2.3`)).status).toBe(401)
    }
    expect((await from('198.51.100.7')).status).toBe(429)
    expect((await from('198.51.100.7, 10.9.9.9', bearer(server.key))).status).toBe(200)
    expect((await from('198.51.100.8')).status).toBe(401)
    expect((await from('203.0.113.1', bearer(server.key))).status).toBe(200)
  })

  it('S6: this machine is exempt by default', async () => {
    server = await startEdgeServer()
    for (let count = 0; count < 30; count++) expect((await me(wrong)).status).toBe(401)
    expect((await me(bearer(server.key))).status).toBe(200)
    expect(await readMetric(server, 'polylogue_auth_failures_total')).toBe(30)
  })

  it('S6: codes for the sign-in are counted like keys', async () => {
    server = await startEdgeServer({ config })
    const signIn = () =>
      exchangeText({
        method: 'POST',
        url: `${server.url}/signin`,
        headers: { origin: server.url, 'content-type': 'application/json' },
        body: { code: 'guess' },
      })
    for (let count = 0; count < 10; count++) expect((await signIn()).status).toBe(401)
    const refused = await signIn()
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true])
  })
})
