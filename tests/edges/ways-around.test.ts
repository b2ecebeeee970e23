// Requests that a browser sends without its user's will, and ways around the one check of keys.
import { readFileSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exchangeText } from '../support/http-exchange.ts'
import { openSession } from '../support/aap-session.ts'
import { askOwner } from '../support/owner-socket.ts'
import { bearer, type EdgeServer, startEdgeServer } from './edge-server.ts'
import { isOpen } from './open-routes.ts'
import { exchangeRaw, rawRequest } from './raw-socket.ts'

let server: EdgeServer
let cookie: string

beforeAll(async () => {
  server = await startEdgeServer()
  const code = new URL(server.signInUrl).hash.slice('#code='.length)
  const answer = await exchangeText({
    method: 'POST',
    url: `${server.url}/signin`,
    headers: { origin: server.url, 'content-type': 'application/json' },
    body: { code },
  })
  cookie = String(answer.headers['set-cookie']?.[0]?.split(';')[0])
})
afterAll(() => server.stop())

describe('S4: requests that a browser sends by itself', () => {
  const own = () => ({ cookie, origin: server.url, 'sec-fetch-site': 'same-origin' })

  it('S4: the cookie does work, from our own page', async () => {
    const url = `${server.url}/api/polylogue/keys`
    const headers = { ...own(), 'content-type': 'application/json' }
    expect((await exchangeText({ method: 'POST', url, headers, body: { name: 'from the page' } })).status).toBe(201)
  })

  it('S4: twelve posts that need no preflight are 403 or 415 on every route that changes something', async () => {
    const foreign = { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const attempts: readonly (readonly [Record<string, string>, string])[] = [
      [{ ...foreign, 'content-type': 'application/x-www-form-urlencoded' }, 'name=x'],
      [{ ...foreign, 'content-type': 'multipart/form-data; boundary=b' }, '--b--'],
      [{ ...foreign, 'content-type': 'text/plain' }, '{"name":"x"}'],
      [{ ...foreign, 'content-type': 'application/json' }, '{"name":"x"}'],
      [foreign, '{"name":"x"}'],
      [{ ...foreign, origin: 'null', 'content-type': 'text/plain;charset=UTF-8' }, '{"name":"x"}'],
      [{ cookie, 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' }, '{"name":"x"}'],
      [{ cookie, 'content-type': 'application/json' }, '{"name":"x"}'],
      [{ ...own(), 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' }, '{"name":"x"}'],
      [{ ...own(), 'content-type': 'application/x-www-form-urlencoded' }, 'name=x'],
      [{ ...own(), 'content-type': 'text/plain' }, '{"name":"x"}'],
      [{ ...own(), 'content-type': 'text/plain; application/json' }, '{"name":"x"}'],
    ]
    expect(attempts).toHaveLength(12)
    const changing = server.routes.filter(({ method }) => method !== 'GET')
    expect(changing.length).toBeGreaterThan(8)
    const keysBefore = await askOwner(server.dataDir, { method: 'GET', path: '/api/polylogue/keys' })
    for (const { method, path } of changing) {
      for (const [headers, body] of attempts) {
        const { status } = await exchangeText({ method, url: server.url + path, headers, body })
        expect([403, 415], `${method} ${path} ${JSON.stringify(headers)} ${status}`).toContain(status)
      }
    }
    const keysAfter = await askOwner(server.dataDir, { method: 'GET', path: '/api/polylogue/keys' })
    expect(keysAfter).toEqual(keysBefore)
  })

  it('S4: nothing changes by being looked at', async () => {
    const session = await openSession(server.client())
    await session.turn('say hello')
    const before = JSON.stringify([await session.read(), await session.history()])
    for (const { path } of server.routes.filter(
      ({ method, path: at }) => method === 'GET' && !at.endsWith('/events'),
    )) {
      await exchangeText({ method: 'GET', url: server.url + path, headers: bearer(server.key) })
    }
    expect(JSON.stringify([await session.read(), await session.history()])).toBe(before)
  })

  it('S4: a cookie reads for our own page only', async () => {
    const read = (headers: Record<string, string>) =>
      exchangeText({ method: 'GET', url: `${server.url}/api/polylogue/me`, headers: { cookie, ...headers } })
    expect((await read({ 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    expect((await read({})).status).toBe(403)
    for (const site of ['cross-site', 'same-site', 'none']) {
      expect((await read({ 'sec-fetch-site': site })).status).toBe(403)
    }
  })
})

describe('S5: keys', () => {
  it('S5: are stored as hashes and in no other form', async () => {
    const key = await server.createKey('anna')
    const stored = ['polylogue.db', 'polylogue.db-wal'].map((name) =>
      readFileSync(join(server.dataDir, name), 'latin1'),
    )
    expect(stored.join('')).not.toContain(key)
    expect(stored.join('')).not.toContain(key.slice('sk-blade-v2-'.length, -4))
  })

  it('S5: are revoked with everything they have open within a second', async () => {
    const { body } = await askOwner(server.dataDir, {
      method: 'POST',
      path: '/api/polylogue/keys',
      body: { name: 'soon gone', user: 'anna' },
    })
    const { id, key } = body as { id: string; key: string }
    const client = server.client(key)
    const session = await openSession(client)
    const stream = await client.events(session.id, '?follow=1')
    const startedAt = performance.now()
    await askOwner(server.dataDir, { method: 'DELETE', path: `/api/polylogue/keys/${id}` })
    await stream.finished().catch(() => undefined)
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    expect((await client.meta()).status).toBe(401)
  })
})

describe('C6: ways around the check', () => {
  const slots = (key: string): readonly Record<string, string>[] => [
    { 'x-api-key': key },
    { 'api-key': key },
    { 'x-auth-token': key },
    { 'proxy-authorization': `Bearer ${key}` },
    { cookie: `polylogue_session=${key}`, 'sec-fetch-site': 'same-origin' },
    { cookie: `token=${key}; authorization=Bearer ${key}` },
    { authorization: key },
    { authorization: `Basic ${Buffer.from(`local:${key}`).toString('base64')}` },
    { authorization: `Token ${key}` },
    { authorization: `Bearer  ${key} extra` },
    { authorization: `Bearer,${key}` },
    { authorization: 'Bearer undefined' },
    { authorization: 'Bearer null', cookie },
    { 'x-request-from': 'internal' },
    { 'x-original-url': '/healthz' },
    { 'x-rewrite-url': '/healthz' },
    { 'x-http-method-override': 'OPTIONS' },
    { 'x-forwarded-for': '127.0.0.1' },
    { 'x-forwarded-host': 'localhost', forwarded: 'for=127.0.0.1' },
  ]

  it('C6: a key in any other place opens no route', async () => {
    for (const { method, path } of server.routes.filter((route) => !isOpen(route))) {
      for (const headers of slots(server.key)) {
        const body = method === 'GET' || method === 'DELETE' ? undefined : '{}'
        const answer = await exchangeText({
          method,
          url: `${server.url}${path}?key=${server.key}&token=${server.key}&access_token=${server.key}`,
          headers: { 'content-type': 'application/json', ...headers },
          body,
        })
        expect([401, 403], `${method} ${path} ${JSON.stringify(headers)} ${answer.status}`).toContain(answer.status)
      }
    }
  })

  it('C6: another spelling of a path is the same decision or no route at all', async () => {
    const spell = (path: string): readonly string[] => [
      path.replace('/', '//'),
      path.replaceAll('/', '//'),
      `/.${path}`,
      `/x/..${path}`,
      path.replace(/\/(\w)/g, '/%$1'),
      path.replace(/\/([^/]+)$/, '/./$1'),
      path.replace(/\/([^/]+)$/, '%2f$1'),
      path.replace(/\/([^/]+)$/, '\\$1'),
      path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
      path.toUpperCase(),
      `${path}/`,
      `${path}.`,
      `${path}%00`,
      `${path};x=1`,
      `/healthz/..${path}`,
    ]
    for (const { method, path } of server.routes.filter((route) => !isOpen(route))) {
      for (const spelling of spell(path)) {
        const head = [`Host: ${server.host}`, 'Content-Type: application/json', 'Content-Length: 0']
        const { status } = await exchangeRaw(server, rawRequest(method, spelling, head))
        expect([400, 401, 404, 405], `${method} ${spelling} ${status}`).toContain(status)
      }
    }
  })

  it('C6: a request hidden in another one is not read', async () => {
    const inner = `GET /api/polylogue/me HTTP/1.1\r\nHost: ${server.host}\r\nAuthorization: Bearer ${server.key}\r\n\r\n`
    const both = `POST /signin HTTP/1.1\r\nHost: ${server.host}\r\nContent-Length: ${inner.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`
    const twice = `POST /signin HTTP/1.1\r\nHost: ${server.host}\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n${inner}`
    const folded = `GET /healthz HTTP/1.1\r\nHost: ${server.host}\r\nX: a\r\n b: c\r\nConnection: close\r\n\r\n`
    for (const bytes of [both, twice, folded]) {
      const reply = await exchangeRaw(server, bytes)
      expect(reply.status).toBe(400)
      expect(reply.body).not.toContain('local')
    }
  })
})

describe('C5: code that runs before anybody is known', () => {
  it('C5: routes without a key leave no trace, whatever they are sent', async () => {
    const fingerprint = () =>
      ['polylogue.db', 'polylogue.db-wal'].map((name) => readFileSync(join(server.dataDir, name)).length)
    const before = fingerprint()
    for (const { method, path } of server.routes.filter(isOpen)) {
      for (const body of ['{"code":"x"}', '{"__proto__":{"x":1}}', 'require("fs")', '{"code":{"$gt":""}}']) {
        const headers = { origin: server.url, 'content-type': 'application/json' }
        const sent = method === 'GET' ? {} : { body }
        await exchangeText({ method, url: `${server.url}${path}?config=1&code=x`, headers, ...sent })
      }
    }
    expect(fingerprint()).toEqual(before)
  })

  it('C5: nothing in the sources makes code out of text', () => {
    const root = fileURLToPath(new URL('../..', import.meta.url))
    const files = globSync(['apps/*/src/**/*.ts', 'packages/**/src/**/*.ts'], { cwd: root }).filter(
      (file) => !/node_modules|\.test\.ts$|\/test-/.test(file),
    )
    expect(files.length).toBeGreaterThan(200)
    const makers = /\beval\(|new Function\(|node:vm\b|import\((?!['"])/
    const found = files.filter((file) => makers.test(readFileSync(join(root, file), 'utf8')))
    // The operator's own configuration, and nothing else.
    expect(found).toEqual(['apps/server/src/config/import-config.ts'])
  })
})
