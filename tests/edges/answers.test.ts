// What every answer carries, and what none may give away.
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openSession } from '../support/aap-session.ts'
import { type Exchange, exchangeText } from '../support/http-exchange.ts'
import { ANY_ID, bearer, type EdgeServer, startEdgeServer } from './edge-server.ts'
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

describe('S14: headers', () => {
  const common = {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  }

  it('S14: every route, with and without a key, has the same ones', async () => {
    expect(server.routes.length).toBeGreaterThan(30)
    for (const { method, path } of server.routes) {
      for (const headers of [{}, bearer(server.key)]) {
        const answer = await exchangeText({ method, url: server.url + path, headers })
        const place = `${method} ${path} ${answer.status}`
        expect(answer.headers, place).toMatchObject(common)
        expect(answer.headers['vary'], place).toMatch(/\bOrigin\b/)
        expect(answer.headers['cache-control'], place).toMatch(/^no-(?:store|cache)$/)
        expect(answer.headers['x-powered-by'], place).toBeUndefined()
        expect(answer.headers['server'], place).toBeUndefined()
        const policy = directivesOf(answer.headers['content-security-policy'])
        expect(policy.get('default-src'), place).toBe("'none'")
        expect(policy.get('base-uri'), place).toBe("'none'")
        expect(policy.get('frame-ancestors'), place).toBe("'none'")
        expect(policy.get('object-src') ?? policy.get('default-src'), place).toBe("'none'")
        expect(policy.get('script-src') ?? "'none'", place).toBe("'self'")
        expect(policy.get('connect-src') ?? "'none'", place).toBe("'self'")
        expect(String(answer.headers['content-security-policy']), place).not.toMatch(/unsafe|\*|https?:/)
      }
    }
  })

  it('S14: so have refusals before any route, unknown paths and streams', async () => {
    const session = await openSession(server.client())
    const stream = await server.client().events(session.id, '?follow=1')
    expect(stream.headers).toMatchObject(common)
    stream.cut()
    const places: readonly Omit<Exchange, 'method'>[] = [
      { url: `${server.url}/nowhere` },
      { url: `${server.url}/healthz`, headers: { host: 'evil.com' } },
      { url: `${server.url}/healthz`, headers: { origin: 'https://evil.example' } },
    ]
    for (const place of places) expect((await exchangeText({ method: 'GET', ...place })).headers).toMatchObject(common)
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
    const scripts = server.routes.filter(({ path }) => path.endsWith('.js'))
    expect(scripts.length).toBeGreaterThan(5)
    for (const { path } of scripts) {
      const { text } = await exchangeText({ method: 'GET', url: server.url + path })
      // A server taken from the address would be used as one of these.
      expect(text, path).not.toMatch(/new WebSocket\(|fetch\(\s*['"`]https?:|new URL\([^)]*searchParams/)
      expect(text, path).not.toMatch(/localStorage|sessionStorage|innerHTML|document\.write|\beval\(/)
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

  it('S20: nothing that a client can send makes a 5xx, or an answer that tells what is inside', async () => {
    const session = await openSession(server.client())
    const ids = [ANY_ID, session.id, 'x', '%00', '..%2f..', "1'--", '%F0%9F%92%A9', 'a'.repeat(5_000)]
    const headers = { ...bearer(server.key), 'content-type': 'application/json' }
    for (const { method, path } of server.routes) {
      for (const id of path.includes(ANY_ID) ? ids : ['']) {
        for (const body of method === 'GET' ? [undefined] : bodies) {
          // One would end the session, the other would never end.
          if (id === session.id && (method === 'DELETE' || path.endsWith('/events'))) continue
          const url = server.url + path.replace(ANY_ID, id)
          const answer = await exchangeText({ method, url, headers, body })
          const place = `${method} ${path} ${id.slice(0, 20)} ${body} -> ${answer.status} ${answer.text.slice(0, 200)}`
          expect(answer.status, place).toBeLessThan(500)
          if (answer.status >= 400) expect(answer.text, place).not.toMatch(INSIDE)
        }
      }
    }
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
})
