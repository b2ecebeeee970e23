// What every answer carries, and what none may give away.
import type { IncomingHttpHeaders } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openSession } from '../support/aap-session.ts'
import { type Exchange, exchangeText } from '../support/http-exchange.ts'
import { ANY_ID, bearer, type EdgeServer, startEdgeServer } from './edge-server.ts'
import { isOpen } from './open-routes.ts'
import { exchangeRaw, rawRequest } from './raw-socket.ts'

let server: EdgeServer
beforeAll(async () => {
  server = await startEdgeServer()
})
afterAll(() => server.stop())

/** Directives of a policy, by name. */
function directivesOf(policy: string | string[] | undefined): ReadonlyMap<string, string> {
  const directives = String(policy ?? '').split(';')
  return new Map(
    directives.map((directive) => directive.trim().split(/ (.*)/s)).map(([name = '', value = '']) => [name, value]),
  )
}

const COMMON: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

const NOT_KEPT = /^no-(?:store|cache)$/
/** The same for everybody. Browsers ask for it at every change of the address. */
const KEPT: Readonly<Record<string, RegExp>> = { '/icon.svg': /^public, max-age=3600$/ }

/** What is missing from these headers, or there and should not be. */
function faultsOf(headers: IncomingHttpHeaders, caching = NOT_KEPT): readonly string[] {
  const policy = directivesOf(headers['content-security-policy'])
  const claims: readonly (readonly [string, boolean])[] = [
    ...Object.entries(COMMON).map(([name, value]) => [name, headers[name] === value] as const),
    ['vary', /\bOrigin\b/.test(headers['vary'] ?? '')],
    ['cache-control', caching.test(headers['cache-control'] ?? '')],
    ['no name of ours', headers['x-powered-by'] === undefined && headers['server'] === undefined],
    ['default-src', policy.get('default-src') === "'none'"],
    ['base-uri', policy.get('base-uri') === "'none'"],
    ['frame-ancestors', policy.get('frame-ancestors') === "'none'"],
    ['object-src', (policy.get('object-src') ?? policy.get('default-src')) === "'none'"],
    ['script-src', policy.get('script-src') === "'self'"],
    ['connect-src', policy.get('connect-src') === "'self'"],
    ['nothing unsafe', !/unsafe|\*|https?:/.test(String(headers['content-security-policy']))],
  ]
  return claims.filter(([, holds]) => !holds).map(([name]) => name)
}

describe('S14: headers', () => {
  it('S14: every route, with and without a key, has the same ones', async () => {
    expect(server.routes.length).toBeGreaterThan(30)
    for (const { method, path } of server.routes) {
      for (const headers of [{}, bearer(server.key)]) {
        const answer = await exchangeText({ method, url: server.url + path, headers })
        const faults = faultsOf(answer.headers, KEPT[path])
        expect([method, path, answer.status, faults]).toEqual([method, path, answer.status, []])
      }
    }
  })

  it('S14: that check finds what is missing', () => {
    expect(faultsOf({})).toHaveLength(13)
    const policy = "default-src 'none'; script-src 'self' 'unsafe-inline'; connect-src *"
    expect(
      faultsOf({ ...COMMON, vary: 'Origin', 'cache-control': 'public', 'content-security-policy': policy }),
    ).toEqual(['cache-control', 'base-uri', 'frame-ancestors', 'script-src', 'connect-src', 'nothing unsafe'])
  })

  it('S14: so have refusals before any route, unknown paths and streams', async () => {
    const session = await openSession(server.client())
    const stream = await server.client().events(session.id, '?follow=1')
    expect(stream.headers).toMatchObject(COMMON)
    stream.cut()
    const places: readonly Omit<Exchange, 'method'>[] = [
      { url: `${server.url}/nowhere` },
      { url: `${server.url}/healthz`, headers: { host: 'evil.com' } },
      { url: `${server.url}/healthz`, headers: { origin: 'https://evil.example' } },
    ]
    for (const place of places) expect((await exchangeText({ method: 'GET', ...place })).headers).toMatchObject(COMMON)
    const reply = await exchangeRaw(server, 'NONSENSE\r\n\r\n')
    expect(reply.head).toMatch(/^X-Content-Type-Options: nosniff\r?$/im)
  })

  it('S14: the page loads nothing inline and nothing from elsewhere', async () => {
    for (const path of ['/', '/signin']) {
      const { text } = await exchangeText({ method: 'GET', url: server.url + path })
      expect(text).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>/i)
      expect(text).not.toMatch(/\son\w+\s*=|\sstyle\s*=|javascript:/i)
      expect(text).not.toMatch(/\b(?:src|href)\s*=\s*["'](?:https?:)?\/\//i)
    }
  })

  it('C3: the page talks to where it came from, whatever its address says', async () => {
    for (const path of ['/?server=https://evil.example', '/signin', '/s/x?url=https://evil.example']) {
      const { headers } = await exchangeText({ method: 'GET', url: server.url + path })
      const policy = String(headers['content-security-policy']).split('; ')
      expect(policy).toEqual(
        expect.arrayContaining(["default-src 'none'", "connect-src 'self'", "script-src 'self'", "form-action 'none'"]),
      )
      expect(policy.join()).not.toMatch(/unsafe|https?:|\*/)
    }
  })
})

/** Stacks, paths of this machine, SQL, and names of what is inside. */
const INSIDE =
  /\bat \S+ \(|\.ts:\d|node_modules|node:internal|\/work\/|\/tmp\/|\/root\/|SQLITE|sqlite|\bSELECT\b|\bINSERT\b|StorageFault|ZodError|TypeError|undefined is not|Cannot read/

describe('S20: errors', () => {
  const bodies = [
    '',
    '{',
    'null',
    '[]',
    '42',
    '"x"',
    '{}',
    '{"agent":5}',
    '{"messages":{}}',
    '{"agent":{"name":["x"]}}',
    '{"name":{}}',
    '{"code":1}',
    '\u0000',
  ]

  it('S20: no client input causes a 5xx, or an answer that reveals internals', async () => {
    const session = await openSession(server.client())
    const ids = [ANY_ID, session.id, 'x', '%00', '..%2f..', "1'--", '%F0%9F%92%A9', 'a'.repeat(5_000)]
    const headers = { ...bearer(server.key), 'content-type': 'application/json' }
    const telling: string[] = []
    for (const { method, path } of server.routes) {
      for (const id of path.includes(ANY_ID) ? ids : ['']) {
        for (const body of method === 'GET' ? [undefined] : bodies) {
          // One would end the session, the others would never end.
          if (id === session.id && (method === 'DELETE' || /\/(?:events|progress)$/.test(path))) continue
          const url = server.url + path.replace(ANY_ID, id)
          const answer = await exchangeText({ method, url, headers, body })
          // 501: Blade has the path, this server does not have the operation.
          const isFailure = answer.status >= 500 && answer.status !== 501
          const isTelling = isFailure || (answer.status >= 400 && INSIDE.test(answer.text))
          if (isTelling) telling.push(`${method} ${path} ${id} ${body} ${answer.status} ${answer.text}`.slice(0, 500))
        }
      }
    }
    expect(telling).toEqual([])
  })

  it('S20: a damaged session is a plain sentence, and hurts no other one', async () => {
    const damaged = await startEdgeServer()
    onTestFinished(() => damaged.stop())
    const client = damaged.client()
    const [first, second] = [await openSession(client), await openSession(client)]
    await first.turn('say one')
    await second.turn('say two')
    const db = new DatabaseSync(join(damaged.dataDir, 'polylogue.db'))
    db.prepare("UPDATE events SET data = '{' WHERE session_id = ? AND seq = 2").run(first.id)
    db.close()
    const answer = await exchangeText(client.exchange('GET', `/sessions/${first.id}/history?type=full`))
    expect(answer.status).toBe(503)
    expect(answer.text).not.toMatch(INSIDE)
    expect(JSON.parse(answer.text)).toEqual({ error: 'The storage is not available', code: 'storage-unavailable' })
    expect((await second.turn('say on')).stopReason).toBe('end_turn')
  })

  it('S20: a method that a route does not have is 404 or 405, and strange methods are 400 to 404', async () => {
    for (const method of ['PUT', 'PATCH', 'TRACE', 'CONNECT', 'PROPFIND', 'QUERY', 'get']) {
      const head = [`Host: ${server.host}`, `Authorization: Bearer ${server.key}`]
      const { status } = await exchangeRaw(server, rawRequest(method, '/api/polylogue/me', head))
      expect([0, 400, 404, 405, 501], `${method} ${status}`).toContain(status)
    }
  })

  it('every 401 names the scheme, on every route and for an upgrade', async () => {
    for (const route of server.routes.filter((each) => !isOpen(each))) {
      const { status, head } = await exchangeRaw(server, rawRequest(route.method, route.path, [`Host: ${server.host}`]))
      expect([route, status, /^www-authenticate: bearer$/im.test(head)]).toEqual([route, 401, true])
    }
    const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==']
    const bytes = `GET /acp HTTP/1.1\r\nHost: ${server.host}\r\n${upgrade.join('\r\n')}\r\nConnection: Upgrade\r\n\r\n`
    const { status, head } = await exchangeRaw(server, bytes)
    expect([status, /^www-authenticate: bearer$/im.test(head)]).toEqual([401, true])
  })

  it('HEAD is 405 below every door, and names the methods that the path has', async () => {
    const methods = Map.groupBy(
      server.routes.filter(({ path }) => /^\/(?:aap|api)\//.test(path)),
      ({ path }) => path,
    )
    for (const [path, routes] of methods) {
      const { status, head } = await exchangeRaw(server, rawRequest('HEAD', path, [`Host: ${server.host}`]))
      const allowed = /^allow: (.*)$/im.exec(head)?.[1]?.split(', ') ?? []
      const missing = routes.filter(({ method }) => !allowed.includes(method))
      expect([path, status, missing]).toEqual([path, 405, []])
    }
  })

  it('a large history is compressed for a client that accepts it, at every door', async () => {
    const session = await openSession(server.client())
    await session.turn(`say ${'all work and no play '.repeat(2_000)}`)
    const paths = [
      `/aap/v3/sessions/${session.id}/history?type=full`,
      `/aap/v1/session/${session.id}?history=full`,
      `/api/sessions/${session.id}/messages`,
      `/api/polylogue/sessions/${session.id}`,
    ]
    for (const path of paths) {
      const plain = await fetch(server.url + path, {
        headers: { ...bearer(server.key), 'accept-encoding': 'identity' },
      })
      const compressed = await fetch(server.url + path, { headers: bearer(server.key) })
      expect([path, plain.headers.get('content-encoding'), compressed.headers.get('content-encoding')]).toEqual([
        path,
        null,
        'gzip',
      ])
      expect(await compressed.text()).toBe(await plain.text())
    }
  })
})
