// The REST half of the Blade door on a whole server, beside another door that drives the same sessions.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { exchangeText } from '../support/http-exchange.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { type RestClient, createRestClient } from './rest-client.ts'

const ORIGIN = 'https://app.example'
let server: TestServer
let rest: RestClient

beforeAll(async () => {
  server = await startTestServer({ allowOrigins: [ORIGIN] })
  rest = createRestClient(server)
})
afterAll(() => server.stop())

const asUser = async (user: string): Promise<RestClient> =>
  createRestClient({ url: server.url, key: await server.createKey(user) })

/** Through the other door, whose answer comes when the turn has stopped. */
async function say(sessionId: string, text: string): Promise<void> {
  const { status } = await server.client(V3).turn(sessionId, { messages: [{ role: 'user', content: text }] })
  expect(status).toBe(200)
}

interface Refused {
  readonly detail: string
}

describe('HTTP', () => {
  it('blade 2: health is reported at both paths', async () => {
    for (const path of ['/healthz', '/api/health']) {
      const { status, text } = await exchangeText({ method: 'GET', url: server.url + path })
      expect([status, JSON.parse(text)]).toEqual([200, { status: 'ok' }])
    }
  })

  it('blade 4: a revoked key is refused', async () => {
    const { plaintext, id } = (
      await rest.send<{ plaintext: string; id: string }>('POST', '/user/api-keys/', { name: 'x' })
    ).body
    const other = createRestClient({ url: server.url, key: plaintext })
    expect((await other.send('GET', '/sessions')).status).toBe(200)
    expect((await rest.send('DELETE', `/user/api-keys/${id}`)).status).toBe(204)
    expect(await other.send('GET', '/sessions')).toMatchObject({ status: 401, body: { detail: 'Unauthorized' } })
  })

  it('blade 8: a page of an allowed origin may ask with its key, and no other', async () => {
    const preflight = (origin: string) =>
      exchangeText({
        method: 'OPTIONS',
        url: `${server.url}/api/sessions`,
        headers: {
          origin,
          'access-control-request-method': 'PATCH',
          'access-control-request-headers': 'authorization,content-type',
        },
      })
    const { status, headers } = await preflight(ORIGIN)
    expect([status, headers['access-control-allow-origin']]).toEqual([204, ORIGIN])
    expect(headers['access-control-allow-headers']).toMatch(/authorization.*content-type/)
    expect(headers['access-control-allow-methods']).toContain('PATCH')
    const foreign = await preflight('https://evil.example')
    expect([foreign.status, Object.keys(JSON.parse(foreign.text))]).toEqual([403, ['detail']])
  })

  it('blade 10: nothing below /api is ever a page', async () => {
    const asked = ['/api', '/api/', '/api/nowhere', '/api/prod_agents', '/api/sessions/%00', '/api//']
    for (const path of asked) {
      const answer = await exchangeText({
        method: 'GET',
        url: server.url + path,
        headers: { authorization: `Bearer ${server.key}`, accept: 'text/html' },
      })
      expect([path, answer.headers['content-type'], [404, 501].includes(answer.status)]).toEqual([
        path,
        'application/json',
        true,
      ])
      expect(JSON.parse(answer.text)).toEqual({ detail: expect.any(String) })
    }
  })

  it('B2: monsters are refused, at every depth and width', async () => {
    const monsters = ['['.repeat(65), `{"a":${'['.repeat(64)}${']'.repeat(64)}}`, '{"a":1e999}']
    for (const body of monsters) {
      const { status, body: refused } = await rest.send<Refused>('POST', '/sessions', body)
      expect([status, typeof refused.detail]).toEqual([422, 'string'])
    }
    const large = await rest.send<Refused>('POST', '/sessions', `{"a":"${'x'.repeat(4 * 1_048_576)}"}`)
    expect([large.status, typeof large.body.detail]).toEqual([413, 'string'])
  })

  it('the documentation is public, under the policy of every page', async () => {
    const page = await exchangeText({ method: 'GET', url: `${server.url}/docs` })
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=UTF-8'])
    expect(page.headers['content-security-policy']).toContain("style-src 'self'")
    for (const [, path = ''] of page.text.matchAll(/(?:src|href)="(\/docs[^"]+)"/g)) {
      expect([path, (await exchangeText({ method: 'GET', url: `${server.url}${path}` })).status]).toEqual([path, 200])
    }
    const document = await exchangeText({ method: 'GET', url: `${server.url}/openapi.json` })
    expect(JSON.parse(document.text)).toMatchObject({ openapi: '3.1.0' })
  })

  it('leaves the paths of the console alone', async () => {
    expect(await rest.send('GET', '/polylogue/keys')).toMatchObject({ status: 200, body: { keys: expect.any(Array) } })
  })
})

describe('a session', () => {
  it('blade 12: has one of the models, by default that of its agent', async () => {
    const { body } = await rest.send<{ default: string; models: { id: string }[] }>('GET', '/config/models')
    expect(body.models.map(({ id }) => id)).toContain(body.default)
    const id = await rest.create({ model: body.default })
    expect(await rest.session(id)).toMatchObject({ model: body.default })
    expect((await rest.send('POST', '/sessions', { model: 'nobody/nothing' })).status).toBe(422)
  })

  it('blade 14: goes from created to completed, and its turns are those of the other door', async () => {
    const id = await rest.create({ solution_id: 'scripted', intent: 'Greet' })
    expect(await rest.session(id)).toMatchObject({ status: 'created', intent: 'Greet', solution_id: 'scripted' })
    await say(id, 'say Hello')
    expect(await rest.session(id)).toMatchObject({ status: 'completed' })
    expect(await rest.messages(id)).toMatchObject([
      { sequence: 0, role: 'user', blocks: [{ type: 'text', content: 'say Hello' }] },
      { sequence: 1, role: 'assistant', blocks: [{ type: 'text', content: 'Hello' }] },
    ])
  })

  it('blade 18: is found by its title and its messages, on the real store', async () => {
    const titled = await rest.create({ intent: 'About a walrus' })
    const spoken = await rest.create({ solution_id: 'scripted', intent: 'Other' })
    await say(spoken, 'say It is a walrus.')
    const found = await rest.send<{ items: { id: string }[] }>('GET', '/sessions?q=WALRUS')
    expect(found.body.items.map(({ id }) => id)).toEqual([spoken, titled])
    expect(found.body).toMatchObject({ total: 2, content_match_truncated: false })
    const carl = await asUser('carl')
    expect((await carl.send('GET', '/sessions?q=walrus')).body).toMatchObject({ items: [], total: 0 })
  })

  it('blade 22: is gone for every door when it was deleted', async () => {
    const id = await rest.create({ solution_id: 'scripted' })
    expect((await rest.send('DELETE', `/sessions/${id}`)).body).toEqual({ deleted: true })
    expect((await server.client(V3).get(id)).status).toBe(404)
    expect((await rest.send('GET', `/sessions/${id}`)).status).toBe(404)
  })

  it('blade 25: does not offer a disabled tool', async () => {
    const id = await rest.create({ solution_id: 'scripted', disable_tools: ['Bash'] })
    await say(id, 'show tools')
    const shown = JSON.stringify(await rest.messages(id))
    expect(shown).toContain('Read')
    expect(shown).not.toContain('Bash')
  })

  it('keeps what was given through a restart', async () => {
    const id = await rest.create({ intent: 'Kept', is_persistent: true, memory_enabled: false })
    await rest.send('PATCH', `/sessions/${id}/pin`, { pinned: true })
    await rest.send('PATCH', `/sessions/${id}/sharing`, { shared: true })
    await server.restart()
    rest = createRestClient(server)
    const kept = { intent: 'Kept', is_persistent: true, memory_enabled: false, is_pinned: true, shared: true }
    expect(await rest.session(id)).toMatchObject(kept)
    const dora = await asUser('dora')
    expect(await dora.session(id)).toMatchObject({ ...kept, viewer_role: 'viewer' })
    expect((await dora.send('DELETE', `/sessions/${id}`)).status).toBe(403)
  })
})

describe('memories', () => {
  it('blade 121: are recalled in a turn, counted, and survive a restart', async () => {
    const eve = await asUser('eve')
    const { body: memory } = await eve.send<{ id: number }>('POST', '/memories', { content: 'I drink green tea.' })
    const id = await eve.create({ solution_id: 'scripted' })
    const key = await server.createKey('eve')
    await server.client(V3, key).turn(id, { messages: [{ role: 'user', content: 'say which tea do I drink?' }] })
    const [, answer] = await eve.messages(id)
    expect(answer?.memory_refs).toMatchObject([{ id: memory.id, content_preview: 'I drink green tea.' }])
    await server.restart()
    const again = createRestClient({ url: server.url, key })
    expect((await again.send('GET', `/memories/${memory.id}`)).body).toMatchObject({ hit_count: 1 })
  })
})

describe('API keys', () => {
  it('blade 126: show when they were used, and end immediately', async () => {
    const frank = await asUser('frank')
    const made = await frank.send<{ id: string; plaintext: string }>('POST', '/user/api-keys/', { name: 'Second' })
    const { id, plaintext } = made.body
    const second = createRestClient({ url: server.url, key: plaintext })
    expect((await second.send('GET', '/auth/me')).body).toMatchObject({ id: 'frank', username: 'frank' })
    const renamed = await second.send('PATCH', `/user/api-keys/${id}`, { name: 'Renamed' })
    expect(renamed.body).toMatchObject({ name: 'Renamed', plaintext: null, last_used_at: expect.any(String) })
    expect((await second.send('DELETE', `/user/api-keys/${id}`)).status).toBe(204)
    expect((await second.send('GET', '/auth/me')).status).toBe(401)
    expect((await frank.send<unknown[]>('GET', '/user/api-keys')).body).toHaveLength(1)
  })
})
