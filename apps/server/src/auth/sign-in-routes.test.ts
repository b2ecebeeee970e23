import { describe, expect, it } from 'vitest'
import { askOwner } from '../test-support/ask-owner.ts'
import { exchange } from '../test-support/exchange.ts'
import { startServer, type TestServer } from '../test-support/start-server.ts'

const codeOf = ({ signInUrl }: TestServer) => new URL(signInUrl).hash.slice('#code='.length)

const signIn = ({ url }: TestServer, code: string, headers: Record<string, string> = { origin: url }) =>
  exchange(`${url}/signin`, { headers, body: { code } })

async function signedIn(server: TestServer): Promise<string> {
  const { headers } = await signIn(server, codeOf(server))
  return headers['set-cookie']?.[0]?.split(';')[0] ?? ''
}

describe('the link of a user', () => {
  const linkOf = async (server: TestServer, name: string): Promise<string> => {
    const { text } = await askOwner(server.dataDir, 'POST', '/api/polylogue/users', { name, role: 'admin' })
    return /#code=([\w-]+)/.exec(text)?.[1] ?? ''
  }

  it('signs nobody in after the user was removed', async () => {
    const server = await startServer()
    const code = await linkOf(server, 'anna')
    expect((await askOwner(server.dataDir, 'DELETE', '/api/polylogue/users/anna')).status).toBe(200)
    expect((await signIn(server, code)).status).toBe(401)
    expect((await askOwner(server.dataDir, 'GET', '/api/polylogue/users')).text).not.toContain('anna')
  })

  it('signs one browser in when many try at once', async () => {
    const server = await startServer()
    const code = await linkOf(server, 'anna')
    const answers = await Promise.all(Array.from({ length: 12 }, () => signIn(server, code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})

describe('the printed link', () => {
  it('signs one browser in, once', async () => {
    const server = await startServer()
    const answer = await signIn(server, codeOf(server), {
      origin: server.url,
      'user-agent': 'Mozilla/5.0 Firefox/130.0',
    })
    expect(answer).toMatchObject({ status: 200, body: { user: 'local' } })
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^polylogue_session_\d+=[A-Za-z0-9_-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
      ),
    ])
    expect((await signIn(server, codeOf(server))).status).toBe(401)
    const keys = await exchange(`${server.url}/api/polylogue/keys`, {
      headers: { authorization: `Bearer ${server.localKey}` },
    })
    expect(keys.body).toMatchObject({
      keys: expect.arrayContaining([expect.objectContaining({ kind: 'browser', name: 'Firefox' })]),
    })
  })

  it('works from our own page only, and a refused attempt does not use it up', async () => {
    const server = await startServer({ allowOrigins: ['https://app.example'] })
    for (const headers of [{}, { origin: 'https://app.example' }, { origin: 'https://evil.example' }]) {
      expect((await signIn(server, codeOf(server), headers as Record<string, string>)).status).toBe(403)
    }
    const form = await exchange(`${server.url}/signin`, {
      headers: { origin: server.url, 'content-type': 'application/x-www-form-urlencoded' },
      body: `code=${codeOf(server)}`,
    })
    expect(form.status).toBe(415)
    expect((await signIn(server, codeOf(server))).status).toBe(200)
  })

  it('leads to the public address, where cookies travel encrypted only', async () => {
    const publicUrl = 'https://agents.example/base/'
    const server = await startServer({ publicUrl })
    expect(server.signInUrl).toMatch(/^https:\/\/agents\.example\/base\/signin#code=/)
    const answer = await signIn(server, codeOf(server), { host: 'agents.example', origin: 'https://agents.example' })
    expect(answer.headers['set-cookie']?.[0]).toMatch(/; SameSite=Strict; Secure$/)
  })
})

describe('an API key', () => {
  const signInWithKey = ({ url }: TestServer, key: string) =>
    exchange(`${url}/signin`, { headers: { origin: url }, body: { key } })

  it('signs its user in on our own page', async () => {
    const server = await startServer()
    const answer = await signInWithKey(server, ` ${server.localKey}\n`)
    expect(answer).toMatchObject({ status: 200, body: { user: 'local' } })
    const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    const headers = { cookie, origin: server.url }
    expect((await exchange(`${server.url}/api/polylogue/me`, { headers })).body).toMatchObject({ via: 'cookie' })
  })

  it('ends the browsers that it signed in when it is revoked', async () => {
    const server = await startServer()
    const owner = { authorization: `Bearer ${server.localKey}` }
    const keys = `${server.url}/api/polylogue/keys`
    const made = await exchange(keys, { headers: owner, body: { name: 'phone' } })
    const { id, key } = made.body as { readonly id: string; readonly key: string }
    const { headers } = await signInWithKey(server, key)
    const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    const me = () => exchange(`${server.url}/api/polylogue/me`, { headers: { cookie, origin: server.url } })
    expect(await me()).toMatchObject({ status: 200, body: { via: 'cookie' } })
    expect((await exchange(`${keys}/${id}`, { method: 'DELETE', headers: owner })).status).toBe(204)
    expect((await me()).status).toBe(401)
  })

  it('does not sign in when it is wrong, and the value of a cookie is no key', async () => {
    const server = await startServer()
    const refused = { status: 401, body: { error: 'No such key. It was mistyped or revoked.' } }
    expect(await signInWithKey(server, 'plg_wrong')).toMatchObject(refused)
    const cookie = await signedIn(server)
    expect(await signInWithKey(server, cookie.split('=')[1] ?? '')).toMatchObject(refused)
    const empty = await exchange(`${server.url}/signin`, { headers: { origin: server.url }, body: {} })
    expect(empty).toMatchObject({ status: 400, body: { error: 'Send either `code` or `key`.' } })
  })
})

describe('a link made while the server runs', () => {
  const link = ({ url, localKey }: TestServer, body: unknown = {}) =>
    exchange(`${url}/api/polylogue/signin-codes`, { headers: { authorization: `Bearer ${localKey}` }, body })

  it('signs one more browser in, once', async () => {
    const server = await startServer()
    const { status, body } = await link(server)
    expect({ status, body }).toMatchObject({ status: 201, body: { user: 'local', expiresAt: expect.any(Number) } })
    const url = new URL(String((body as { url: unknown }).url))
    expect(`${url.origin}${url.pathname}`).toBe(`${server.url}/signin`)
    const code = url.hash.slice('#code='.length)
    expect(await signIn(server, code)).toMatchObject({ status: 200, body: { user: 'local' } })
    expect((await signIn(server, code)).status).toBe(401)
  })

  it('is for oneself only, unless the operator asks over the owner socket', async () => {
    const server = await startServer()
    expect((await link(server, { user: 'anna' })).status).toBe(403)
  })
})

describe('a signed-in page', () => {
  it('may read and change, but no other site may in its name', async () => {
    const server = await startServer({ allowOrigins: ['https://app.example'] })
    const cookie = await signedIn(server)
    const me = (headers: Record<string, string>) =>
      exchange(`${server.url}/api/polylogue/me`, { headers: { cookie, ...headers } })
    expect((await me({ 'sec-fetch-site': 'same-origin' })).body).toMatchObject({ user: 'local', via: 'cookie' })
    expect((await me({ origin: server.url })).status).toBe(200)
    expect((await me({})).status).toBe(403)
    expect((await me({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await me({ origin: 'https://app.example' })).status).toBe(403)
    const post = (headers: Record<string, string>, body: unknown) =>
      exchange(`${server.url}/aap/v3/sessions`, { headers: { cookie, ...headers }, body })
    const body = { agent: { name: 'scripted' } }
    expect((await post({ origin: server.url }, body)).status).toBe(201)
    expect((await post({}, body)).status).toBe(403)
    expect((await post({ origin: server.url, 'content-type': 'text/plain' }, JSON.stringify(body))).status).toBe(415)
  })

  it('is forgotten when it signs out', async () => {
    const server = await startServer()
    const cookie = await signedIn(server)
    const headers = { cookie, origin: server.url, 'content-type': 'application/json' }
    const out = await exchange(`${server.url}/signout`, { method: 'POST', headers })
    expect(out.status).toBe(204)
    expect(out.headers['set-cookie']?.[0]).toMatch(/^polylogue_session_\d+=; Max-Age=0;/)
    expect((await exchange(`${server.url}/api/polylogue/me`, { headers })).status).toBe(401)
  })

  it('stays signed in over a restart', async () => {
    const server = await startServer()
    const cookie = await signedIn(server)
    await server.stop(0)
    const listen = { host: '127.0.0.1', port: Number(new URL(server.url).port) }
    const again = await startServer({ dataDir: server.dataDir, listen })
    const headers = { cookie, origin: again.url }
    expect((await exchange(`${again.url}/api/polylogue/me`, { headers })).status).toBe(200)
  })
})
