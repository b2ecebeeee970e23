import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { createSession, startTurn } from '../test-support/aap.ts'
import { askOwner, createKeyOf } from '../test-support/ask-owner.ts'
import { beginExchange, exchange } from '../test-support/exchange.ts'
import { startServer, type TestServer } from '../test-support/start-server.ts'

/** Asked without a key by design: health, version, documentation, the console and what it loads, and the sign-in itself. */
const OPEN = new Set([
  'GET /healthz',
  'GET /readyz',
  'GET /',
  'GET /signin',
  'POST /signin',
  'GET /signin/methods',
  'GET /openapi.json',
])
const isOpen = (route: string): boolean =>
  OPEN.has(route) ||
  /^GET \/(?:assets\/|icon\.svg$|s\/|inbox$|sessions$|usage$|schedules|manage(?:\/|$)|settings$|connect$|docs|api\/(?:version|health)\/?$)/.test(
    route,
  )

/** From the router itself: one that is added later is tried too. */
const listRoutes = async (server: TestServer): Promise<readonly string[]> =>
  (await server.routes()).map((route) => route.replace(':id', ANY_ID))

const ANY_ID = '01900000-0000-7000-8000-000000000000'

describe('without a good key', () => {
  it('every route but health, sign-in and the page is closed', async () => {
    const server = await startServer()
    const closed = (await listRoutes(server)).filter((route) => !isOpen(route))
    expect(closed).toEqual(
      expect.arrayContaining(['GET /api/polylogue/status', 'POST /signout', `GET /aap/v3/sessions/${ANY_ID}/events`]),
    )
    for (const route of closed) {
      const [method = '', path = ''] = route.split(' ')
      const attempts: readonly Record<string, string>[] = [
        {},
        { authorization: 'Bearer' },
        { authorization: `Bearer sk-blade-v2-${'x'.repeat(43)}` },
        { authorization: `Basic ${server.localKey}` },
        { 'x-api-key': server.localKey },
        {
          cookie: `polylogue_session_${new URL(server.url).port}=${server.localKey}`,
          origin: server.url,
          'content-type': 'application/json',
        },
      ]
      for (const headers of attempts) {
        const { status, body } = await exchange(server.url + path, { method, headers })
        expect([route, status, Object.values(body ?? {})]).toEqual([
          route,
          401,
          expect.arrayContaining(['Unauthorized']),
        ])
      }
    }
  })

  it('no spelling of a path opens it', async () => {
    const server = await startServer()
    const spellings = ['/api//polylogue/keys', '/API/polylogue/keys', '/api/polylogue/keys/', '/api/polylogue/./keys']
    const more = ['/x/../api/polylogue/keys', '/api%2fpolylogue/keys', '/api/polylogue/keys.', '/api/polylogue/%6beys']
    for (const path of [...spellings, ...more]) {
      const headers = { 'x-original-url': '/healthz', 'x-http-method-override': 'OPTIONS' }
      expect([401, 404]).toContain((await exchange(server.url + path, { headers })).status)
    }
    expect((await exchange(`${server.url}/api/polylogue/keys?key=${server.localKey}`)).status).toBe(401)
  })
})

describe('a revoked key', () => {
  it('ends the streams it has open within a second, and those of other keys continue', async () => {
    const server = await startServer()
    const anna = await createKeyOf('anna', server.dataDir)
    const script = 'say begun\nsleep 60000'
    const turn = { sessionId: await createSession(server.url, anna.key), script }
    const ending = await startTurn(server.url, anna.key, turn)
    const following = await beginExchange(`${server.url}/aap/v3/sessions/${turn.sessionId}/events?follow=1`, {
      headers: { authorization: `Bearer ${anna.key}` },
    })
    const local = { sessionId: await createSession(server.url, server.localKey), script }
    const staying = await startTurn(server.url, server.localKey, local)

    const closed = [ending, following].map((stream) => text(stream).catch((error: NodeJS.ErrnoException) => error.code))
    const revokedAt = performance.now()
    expect((await askOwner(server.dataDir, 'DELETE', `/api/polylogue/keys/${anna.id}`)).status).toBe(204)
    await Promise.all(closed)
    expect(performance.now() - revokedAt).toBeLessThan(1_000)

    const cancelled = await exchange(`${server.url}/aap/v3/sessions/${local.sessionId}/cancel`, {
      headers: { authorization: `Bearer ${server.localKey}` },
      body: {},
    })
    expect(cancelled.status).toBe(202)
    expect(await text(staying)).toContain('stopReason')
  })
})
