import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AapClient } from '../support/aap-client.ts'
import { DIALECTS, type Dialect, V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { exchangeJson, exchangeText } from '../support/http-exchange.ts'
import { call, script } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { expectRefusal } from './refusals.ts'
import { listSessionIds } from './session-list.ts'

const ORIGIN = 'https://playground.example'
const SECRET = 'hunter2-correct-horse'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ allowOrigins: [ORIGIN] })
})

afterAll(() => server.stop())

interface Route {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/** Every endpoint that touches a session, with a body that would be accepted. */
function sessionRoutes(dialect: Dialect, id: string): readonly Route[] {
  const messages = [{ role: 'user', content: 'say hi' }]
  return [
    { method: 'GET', path: '/sessions' },
    { ...dialect.create, body: { agent: { name: 'scripted' }, messages } },
    { method: 'GET', path: dialect.session(id) },
    { method: 'GET', path: dialect.history(id, 'full') },
    { method: 'POST', path: dialect.turns(id), body: { messages } },
    { method: 'POST', path: dialect.turns(id), body: { messages, stream: 'delta' } },
    { method: 'DELETE', path: dialect.session(id) },
    { method: 'GET', path: `${dialect.session(id)}/events` },
    { method: 'POST', path: `${dialect.session(id)}/cancel` },
  ]
}

describe.each(DIALECTS)('auth and errors at $base', (dialect) => {
  const { mark } = dialect
  const client = (): AapClient => server.client(dialect)

  it(`aap 8${mark}: a wrong key gives 401 with {error} on every session endpoint`, async () => {
    const session = await openSession(client())
    const before = await session.history()
    for (const { method, path, body } of sessionRoutes(dialect, session.id)) {
      for (const authorization of ['Bearer sk-blade-v2-wrong', `Basic ${server.key}`, server.key]) {
        const answer = await client().send(method, path, { body, headers: { authorization } })
        expectRefusal(answer, 401)
        expect(answer.body, `${method} ${path}`).toMatchObject({ error: 'Unauthorized' })
      }
    }
    expect(await session.history()).toEqual(before)
  })

  it(`aap 9${mark}: Authorization: Bearer without a token, or no header at all, gives 401`, async () => {
    const session = await openSession(client())
    for (const { method, path, body } of sessionRoutes(dialect, session.id)) {
      const { url } = client().exchange(method, path)
      const bare = await exchangeJson({ method, url, body, headers: { authorization: 'Bearer' } })
      const none = await exchangeJson({ method, url, body })
      for (const answer of [bare, none]) {
        expectRefusal(answer, 401)
        expect(answer.body, `${method} ${path}`).toMatchObject({ error: 'Unauthorized' })
      }
    }
  })

  it(`aap 10${mark}: another user's session is 404 everywhere and not listed; a second key of its user sees it`, async () => {
    const [alice, aliceAgain, bob] = await Promise.all(['alice', 'alice', 'bob'].map((user) => server.createKey(user)))
    const session = await openSession(server.client(dialect, alice))
    await session.turn('say mine')
    const history = await session.history()

    const stranger = server.client(dialect, bob)
    const byId = sessionRoutes(dialect, session.id).filter(({ path }) => path.includes(session.id))
    expect(byId).toHaveLength(7)
    for (const { method, path, body } of byId) expectRefusal(await stranger.send(method, path, { body }), 404)
    expect(await listSessionIds(stranger)).not.toContain(session.id)

    const friend = server.client(dialect, aliceAgain)
    expect((await friend.get(session.id)).body.sessionId).toBe(session.id)
    expect(await listSessionIds(friend)).toContain(session.id)
    expect(await friend.history(session.id, 'full')).toEqual(history)
    expect((await friend.turn(session.id, { messages: [{ role: 'user', content: 'say ours' }] })).status).toBe(200)
    expect((await friend.remove(session.id)).status).toBe(204)
  })

  it(`aap 11${mark}: malformed JSON gives 400 with {error}, on create and on turns`, async () => {
    const session = await openSession(client())
    const before = await session.history()
    const { method, path } = dialect.create
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`
    const tooDeep = `{"agent":{"name":"scripted"},"messages":[{"role":"user","content":"say x"}],"extra":${deep}}`
    for (const body of [tooDeep, '{', 'nonsense', '{"agent":{"name":"scripted"}', '"text"', '[]', 'null', '42']) {
      expectRefusal(await client().send(method, path, { body }), 400)
      expectRefusal(await client().send('POST', dialect.turns(session.id), { body }), 400)
    }
    expect(await session.history()).toEqual(before)
  })

  it(`aap 12${mark}: an empty body gives 400 on create and on turns`, async () => {
    const session = await openSession(client())
    const { method, path } = dialect.create
    expectRefusal(await client().send(method, path), 400)
    expectRefusal(await client().send(method, path, { body: '' }), 400)
    expectRefusal(await client().send('POST', dialect.turns(session.id)), 400)
    expectRefusal(await client().send('POST', dialect.turns(session.id), { body: '' }), 400)
  })

  it(`aap 13${mark}: unknown routes give 404 with JSON`, async () => {
    const { id } = await openSession(client())
    for (const path of ['/nope', '/', '', `${dialect.session(id)}/nope`, '/session/a/b/c', '/sessions/a/b/c/d']) {
      expectRefusal(await client().send('GET', path), 404)
    }
    expectRefusal(await client().send('POST', `${dialect.turns(id)}/nope`, { body: {} }), 404)
    const foreign = dialect === V3 ? `/session/${id}` : `/sessions/${id}`
    expectRefusal(await client().send('GET', foreign), 404)
  })

  it(`aap 14${mark}: a preflight from an allowed origin needs no key and allows authorization and content-type`, async () => {
    const { method, path } = dialect.create
    const { url } = client().exchange(method, path)
    const preflight = (origin: string, verb: string) =>
      exchangeText({
        method: 'OPTIONS',
        url,
        headers: {
          origin,
          'access-control-request-method': verb,
          'access-control-request-headers': 'authorization,content-type',
        },
      })

    for (const verb of [method, 'POST', 'GET', 'DELETE']) {
      const allowed = await preflight(ORIGIN, verb)
      expect(allowed.status).toBeGreaterThanOrEqual(200)
      expect(allowed.status).toBeLessThan(300)
      expect(allowed.headers['access-control-allow-origin']).toBe(ORIGIN)
      expect(listOf(allowed.headers['access-control-allow-methods'])).toContain(verb.toLowerCase())
      expect(listOf(allowed.headers['access-control-allow-headers'])).toEqual(
        expect.arrayContaining(['authorization', 'content-type']),
      )
    }
    const refused = await preflight('https://evil.example', method)
    expect(refused.headers['access-control-allow-origin']).toBeUndefined()

    const read = await client().send('GET', '/meta', { headers: { origin: ORIGIN } })
    expect(read.status).toBe(200)
    expect(read.headers['access-control-allow-origin']).toBe(ORIGIN)
  })

  it(`aap 15${mark}: no error body contains a secret option value`, async () => {
    const session = await openSession(client(), { options: { apiKey: SECRET } })
    const first = [{ role: 'user', content: 'say hi' }]
    const agent = { name: 'scripted', options: { apiKey: SECRET } }
    const { method, path } = dialect.create
    const creates: readonly unknown[] = [
      { agent: { ...agent, name: 'nobody' }, messages: first },
      { agent: { ...agent, options: { apiKey: SECRET, model: 'zzz' } }, messages: first },
      { agent: { ...agent, options: { apiKey: [SECRET] } }, messages: first },
      { agent: { ...agent, tools: [{ name: 'nope' }] }, messages: first },
      { agent: { ...agent, options: SECRET }, messages: first },
      { agent, messages: [{ role: 'tool_permission', toolCallId: 'x', granted: true }] },
      `{"agent":{"name":"scripted","options":{"apiKey":"${SECRET}"}},}`,
      `{"apiKey":"${SECRET}`,
    ]
    const turns: readonly unknown[] = [
      { agent: { options: { apiKey: SECRET } }, messages: [] },
      { agent: { options: { apiKey: SECRET, model: 'zzz' } }, messages: first },
      { agent: { options: { apiKey: { value: SECRET } } }, messages: first },
      { agent: { options: { apiKey: SECRET } }, stream: SECRET, messages: first },
      { agent: { name: 'other', options: { apiKey: SECRET } }, messages: first },
      { agent: { options: { apiKey: SECRET } }, messages: [{ role: 'tool', toolCallId: 'x', content: 'y' }] },
      `{"agent":{"options":{"apiKey":"${SECRET}"}},"messages":[}`,
    ]
    const answers = [
      ...(await Promise.all(creates.map((body) => client().send(method, path, { body })))),
      ...(await Promise.all(turns.map((body) => client().send('POST', dialect.turns(session.id), { body })))),
    ]
    for (const answer of answers) {
      expectRefusal(answer, 400)
      expect(answer.text).not.toContain(SECRET)
    }
    const failed = await session.turn('fail')
    expect(failed.stopReason).toBe('error')
    expect(JSON.stringify(failed)).not.toContain(SECRET)
  })

  it(`aap 16${mark}: GET and DELETE with a JSON content type and no body are served`, async () => {
    const session = await openSession(client())
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${server.key}` }
    const status = async (verb: string, path: string): Promise<number> =>
      (await exchangeText({ method: verb, url: client().exchange(verb, path).url, headers })).status
    expect(await status('GET', '/meta')).toBe(200)
    expect(await status('GET', '/sessions')).toBe(200)
    expect(await status('GET', dialect.session(session.id))).toBe(200)
    expect(await status('GET', dialect.history(session.id, 'full'))).toBe(200)
    expect(await status('DELETE', dialect.session(session.id))).toBe(204)
  })

  it(`aap 17${mark}: the whole protocol lives under its base path`, async () => {
    expect(dialect.base).toMatch(/^\/aap\/v\d$/)
    expect((await client().meta()).body.version).toBe(dialect.version)
    const session = await openSession(client(), { tools: [{ name: 'echo', trust: true }] })
    const played = await session.play('delta', script('say under a path', call('c1', 'echo', { msg: 'x' })))
    expect(played.stopReason).toBe('end_turn')
    expect(await session.history()).toEqual(expect.arrayContaining([expect.objectContaining({ role: 'tool' })]))
    expect((await client().remove(session.id)).status).toBe(204)
  })
})

function listOf(header: string | undefined): readonly string[] {
  return (header ?? '').split(',').map((item) => item.trim().toLowerCase())
}
