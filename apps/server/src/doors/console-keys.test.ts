import { describe, expect, it } from 'vitest'
import { askOwner, createKeyOf, type TestKey } from '../test-support/ask-owner.ts'
import { exchange } from '../test-support/exchange.ts'
import { startServer, type TestServer } from '../test-support/start-server.ts'

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const KEYS = '/api/polylogue/keys'

async function listUsers(server: TestServer, key: string): Promise<readonly string[]> {
  const { body } = await exchange(server.url + KEYS, { headers: bearer(key) })
  return (body as { keys: readonly TestKey[] }).keys.map(({ user }) => user)
}

describe('through the owner socket', () => {
  it('a key is made for any user, and shown once', async () => {
    const server = await startServer()
    const { status, text } = await askOwner(server.dataDir, 'POST', KEYS, { name: 'laptop', user: 'anna' })
    const created = JSON.parse(text) as TestKey
    expect(status).toBe(201)
    expect(created).toMatchObject({ user: 'anna', kind: 'api', name: 'laptop', prefix: 'sk-blade-v2-' })
    const listed = await askOwner(server.dataDir, 'GET', KEYS)
    expect(listed.text).toContain(created.id)
    expect(listed.text).not.toContain(created.key)
  })

  it('the keys of all users are listed and can be revoked', async () => {
    const server = await startServer()
    const anna = await createKeyOf('anna', server.dataDir)
    const { text } = await askOwner(server.dataDir, 'GET', KEYS)
    const { keys } = JSON.parse(text) as { keys: readonly TestKey[] }
    expect(keys.map(({ user }) => user).toSorted()).toEqual(['anna', 'local'])
    expect((await askOwner(server.dataDir, 'DELETE', `${KEYS}/${anna.id}`)).status).toBe(204)
    expect((await askOwner(server.dataDir, 'DELETE', `${KEYS}/${anna.id}`)).status).toBe(404)
    expect((await exchange(server.url + KEYS, { headers: bearer(anna.key) })).status).toBe(401)
  })
})

describe('with a key', () => {
  it("one sees one's own keys only", async () => {
    const server = await startServer()
    const anna = await createKeyOf('anna', server.dataDir)
    expect(await listUsers(server, anna.key)).toEqual(['anna'])
    expect(await listUsers(server, server.localKey)).toEqual(['local'])
  })

  it('one makes keys for oneself, not for others', async () => {
    const server = await startServer()
    const anna = await createKeyOf('anna', server.dataDir)
    const own = await exchange(server.url + KEYS, { headers: bearer(anna.key), body: { name: 'phone' } })
    expect(own).toMatchObject({ status: 201, body: { user: 'anna' } })
    const foreign = await exchange(server.url + KEYS, { headers: bearer(anna.key), body: { name: 'x', user: 'ben' } })
    expect(foreign.status).toBe(403)
    expect(await listUsers(server, anna.key)).toEqual(['anna', 'anna'])
  })

  it('S6: a user can create at most a hundred keys, through any door', async () => {
    const server = await startServer()
    const anna = await createKeyOf('anna', server.dataDir)
    for (let count = 1; count < 100; count++) await createKeyOf('anna', server.dataDir)
    const headers = bearer(anna.key)
    const sentence = ' user has 100 API keys at most: revoke one that is not used any more'
    const refusals = [
      [await exchange(server.url + KEYS, { headers, body: { name: 'phone' } }), 409, { error: `a${sentence}` }],
      [
        await exchange(`${server.url}/api/user/api-keys`, { headers, body: { name: 'phone' } }),
        422,
        { detail: `A${sentence}.` },
      ],
    ] as const
    for (const [{ status, body }, expected, told] of refusals) expect([status, body]).toEqual([expected, told])
    const { status, text } = await askOwner(server.dataDir, 'POST', KEYS, { name: 'phone', user: 'anna' })
    expect([status, JSON.parse(text)]).toEqual([409, { error: `a${sentence}` }])
    expect(await listUsers(server, anna.key)).toHaveLength(100)
  })

  it("another user's key is as unknown as one that never existed", async () => {
    const server = await startServer()
    const [anna, ben] = [await createKeyOf('anna', server.dataDir), await createKeyOf('ben', server.dataDir)]
    const revoke = (id: string) =>
      exchange(`${server.url}${KEYS}/${id}`, { method: 'DELETE', headers: bearer(anna.key) })
    const [foreign, unknown] = [await revoke(ben.id), await revoke('key_none')]
    expect([foreign.status, foreign.body]).toEqual([unknown.status, unknown.body])
    expect(foreign.status).toBe(404)
    expect(await listUsers(server, ben.key)).toEqual(['ben'])
  })

  it('one may revoke the very key one shows', async () => {
    const server = await startServer()
    const anna = await createKeyOf('anna', server.dataDir)
    const headers = bearer(anna.key)
    const revoked = await exchange(`${server.url}${KEYS}/${anna.id}`, { method: 'DELETE', headers })
    expect([revoked.status, revoked.text]).toEqual([204, ''])
    expect((await exchange(server.url + KEYS, { headers })).status).toBe(401)
  })
})

it.each([
  [{}, /^name: /],
  [{ name: '  ' }, /^name: /],
  [{ name: 'x'.repeat(101) }, /^name: /],
  [{ name: 'half a character: \ud800' }, /^name: /],
  [{ name: 'two\nlines' }, /^name: /],
  [{ name: 'x\u0000' }, /^name: /],
  [{ name: 'x', user: '../etc' }, /^user: /],
  [{ name: 'x', user: '' }, /^user: /],
  [[], /^body: /],
  ['{"name": "x"', /JSON/],
  [`${'['.repeat(100)}${']'.repeat(100)}`, /deeper than 64 levels/],
])('the body %j is refused, naming the field', async (body, sentence) => {
  const server = await startServer()
  const headers = { ...bearer(server.localKey), 'content-type': 'application/json' }
  const answer = await exchange(server.url + KEYS, { headers, body })
  expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(sentence) } })
})

it('a body that is too large or of another type is refused', async () => {
  const server = await startServer()
  const post = (type: string, body: string) =>
    exchange(server.url + KEYS, { headers: { ...bearer(server.localKey), 'content-type': type }, body })
  expect((await post('application/json', JSON.stringify({ name: 'x'.repeat(70_000) }))).status).toBe(413)
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    expect((await post(type, '{"name":"x"}')).status).toBe(415)
  }
})
