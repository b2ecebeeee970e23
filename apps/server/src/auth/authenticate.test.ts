import { createFakeClock, createMemoryKeyStore } from '@polylogue/testkit'
import { asUserId } from '@polylogue/engine'
import { describe, expect, it } from 'vitest'
import type { IncomingMessage } from 'node:http'
import { createAccessPolicy } from '../http/access-policy.ts'
import { createClientAddress, createProxyList } from '../http/client-address.ts'
import { createRedactor } from '../log/redactor.ts'
import { randomBytes } from '../platform/random-bytes.ts'
import { sha256 } from '../platform/sha256.ts'
import { createAuthenticate } from './authenticate.ts'
import { createFailureLimit } from './failure-limit.ts'
import { createKeyRing } from './key-ring.ts'

const anna = asUserId('anna')
const OWN = 'http://localhost:8020'

async function createTestAuth() {
  const clock = createFakeClock()
  const keys = createKeyRing({
    store: createMemoryKeyStore({ clock }),
    clock,
    random: randomBytes,
    digest: sha256,
    extraKeys: [],
  })
  const policy = createAccessPolicy({ host: '127.0.0.1', allowOrigins: ['https://app.example'] })
  const authenticate = createAuthenticate({
    keys,
    policy,
    failures: createFailureLimit({ clock }),
    addressOf: createClientAddress(createProxyList([])),
    redactor: createRedactor(),
  })
  const key = await keys.createApiKey(anna, 'laptop')
  const signIn = await keys.createSignIn(anna, { name: 'Firefox', host: 'localhost:8020' })
  const cookie = `theme=dark; polylogue_session_8020=${signIn.plain}`
  /** The parts of a request that authentication may look at. */
  const request = (headers: Record<string, string>, options: { method?: string; from?: string } = {}) =>
    authenticate({
      method: options.method ?? 'GET',
      headers: { host: 'localhost:8020', ...headers },
      socket: { remoteAddress: options.from ?? '127.0.0.1' },
    } as unknown as IncomingMessage)
  return { clock, keys, key, signIn, cookie, request }
}

describe('a key', () => {
  it('in the Authorization line lets its user in', async () => {
    const { request, key } = await createTestAuth()
    const caller = {
      userId: anna,
      via: 'key',
      keyId: key.record.id,
      mayMakeKeys: true,
      revoked: expect.any(AbortSignal),
    }
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect(await request({ authorization: `${scheme} ${key.plain}` })).toEqual({ type: 'caller', caller })
    }
  })

  it('nowhere else is looked for', async () => {
    const { request, key } = await createTestAuth()
    const places: readonly Record<string, string>[] = [
      {},
      { authorization: 'Bearer' },
      { authorization: 'Bearer ' },
      { authorization: key.plain },
      { authorization: `Basic ${key.plain}` },
      { authorization: `Bearer ${key.plain} more` },
      { 'x-api-key': key.plain },
      { cookie: `polylogue_session_8020=${key.plain}`, origin: OWN },
      { 'x-request-from': 'internal' },
    ]
    for (const headers of places) {
      expect(await request(headers)).toEqual({ type: 'refused', status: 401, error: 'Unauthorized' })
    }
  })

  it('that is wrong counts even when a good cookie comes with it', async () => {
    const { request, cookie } = await createTestAuth()
    expect(await request({ authorization: 'Bearer wrong', cookie, origin: OWN })).toMatchObject({ status: 401 })
  })

  it('cannot be a sign-in', async () => {
    const { request, signIn } = await createTestAuth()
    expect(await request({ authorization: `Bearer ${signIn.plain}` })).toMatchObject({ status: 401 })
  })
})

describe('a cookie', () => {
  it('works for our own page', async () => {
    const { request, cookie, signIn } = await createTestAuth()
    const keyId = signIn.record.id
    const caller = { userId: anna, via: 'cookie', keyId, mayMakeKeys: true, revoked: expect.any(AbortSignal) }
    const json = { 'content-type': 'application/json; charset=utf-8' }
    expect(await request({ cookie, 'sec-fetch-site': 'same-origin' })).toEqual({ type: 'caller', caller })
    expect(await request({ cookie, origin: OWN })).toEqual({ type: 'caller', caller })
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(await request({ cookie, origin: OWN, ...json }, { method })).toEqual({ type: 'caller', caller })
    }
  })

  it('works at the host where the browser signed in, under the name of its port', async () => {
    const { request, signIn } = await createTestAuth()
    const at = (host: string, name: string) =>
      request({ host, cookie: `${name}=${signIn.plain}`, origin: `http://${host}` })
    expect(await at('localhost:8020', 'polylogue_session_8020')).toMatchObject({ type: 'caller' })
    expect(await at('localhost:8020', 'polylogue_session')).toMatchObject({ status: 401 })
    expect(await at('localhost:8020', 'polylogue_session_8021')).toMatchObject({ status: 401 })
    expect(await at('127.0.0.1:8020', 'polylogue_session_8020')).toMatchObject({ status: 401 })
    expect(await at('localhost:8021', 'polylogue_session_8021')).toMatchObject({ status: 401 })
  })

  it('makes keys in the first ten minutes only, and ends twelve hours after its last use', async () => {
    const { request, cookie, clock } = await createTestAuth()
    const ask = () => request({ cookie, origin: OWN })
    expect(await ask()).toMatchObject({ caller: { mayMakeKeys: true } })
    clock.advance(10 * 60_000)
    expect(await ask()).toMatchObject({ caller: { mayMakeKeys: false } })
    clock.advance(12 * 60 * 60_000 - 1)
    expect(await ask()).toMatchObject({ type: 'caller' })
    clock.advance(12 * 60 * 60_000)
    expect(await ask()).toMatchObject({ status: 401 })
  })

  it.each([
    ['a read without a sign of where it comes from', 'GET', {}],
    ['a link on another site', 'GET', { 'sec-fetch-site': 'cross-site' }],
    ['a page on another port', 'GET', { 'sec-fetch-site': 'same-site' }],
    ['a typed address', 'GET', { 'sec-fetch-site': 'none' }],
    ['an allowed foreign origin', 'GET', { origin: 'https://app.example' }],
    ['an own origin that the browser calls cross-site', 'GET', { origin: OWN, 'sec-fetch-site': 'cross-site' }],
    ['a write without an origin', 'POST', { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }],
  ] as const)('does not work for %s', async (_, method, headers) => {
    const { request, cookie } = await createTestAuth()
    expect(await request({ cookie, ...headers }, { method })).toMatchObject({ type: 'refused', status: 403 })
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'does not work for a write of type %j, which a form could send',
    async (type) => {
      const { request, cookie } = await createTestAuth()
      const headers = { cookie, origin: OWN, ...(type === '' ? {} : { 'content-type': type }) }
      expect(await request(headers, { method: 'POST' })).toMatchObject({ type: 'refused', status: 415 })
    },
  )
})

describe('wrong keys', () => {
  it('from one address are answered 429 after ten, until a minute has passed; a good key is never refused', async () => {
    const { request, key, cookie, clock } = await createTestAuth()
    const from = '203.0.113.9'
    for (let count = 0; count < 10; count++) {
      expect(await request({ authorization: `Bearer wrong-${count}` }, { from })).toMatchObject({ status: 401 })
    }
    const wrong = { authorization: 'Bearer wrong', 'x-forwarded-for': '198.51.100.1' }
    expect(await request(wrong, { from })).toMatchObject({ status: 429, retryAfterS: 60 })
    expect(await request(wrong, { from: '203.0.113.10' })).toMatchObject({ status: 401 })
    expect(await request({ authorization: `Bearer ${key.plain}` }, { from })).toMatchObject({ type: 'caller' })
    expect(await request({ cookie, origin: OWN }, { from })).toMatchObject({ type: 'caller' })
    clock.advance(60_000)
    expect(await request(wrong, { from })).toMatchObject({ status: 401 })
  })

  it('do not count when there was none, or on loopback', async () => {
    const { request } = await createTestAuth()
    for (let count = 0; count < 20; count++) {
      expect(await request({}, { from: '203.0.113.9' })).toMatchObject({ status: 401 })
      expect(await request({ authorization: 'Bearer wrong' })).toMatchObject({ status: 401 })
    }
  })
})
