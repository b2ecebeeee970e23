import { alreadySent } from '@polylogue/kit'
import { describe, expect, it } from 'vitest'
import { silentLog, type Log } from '../log/log.ts'
import { exchange, exchangeRaw } from '../test-support/exchange.ts'
import { startListener } from '../test-support/start-listener.ts'
import { HttpRefusal } from './http-refusal.ts'
import type { QuickLane, QuickRequest } from './request-listener.ts'
import { sendJson } from './send-json.ts'

const APP = 'https://app.example'

describe('before routing', () => {
  it('a foreign host is refused, whatever the route and method', async () => {
    const { url } = await startListener()
    for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
      for (const path of ['/healthz', '/readyz', '/nowhere']) {
        const answer = await exchange(url + path, { method, headers: { host: 'evil.com' } })
        expect(answer.status).toBe(403)
        expect(answer.body).toEqual({ error: expect.any(String) })
      }
    }
  })

  it('two Host lines, an empty one and none are refused', async () => {
    const { url } = await startListener()
    const { host } = new URL(url)
    const lines = [`Host: ${host}\r\nHost: evil.com\r\n`, `Host: evil.com\r\nHost: ${host}\r\n`, 'Host:\r\n', '']
    for (const line of lines) {
      expect(await exchangeRaw(url, `GET /healthz HTTP/1.1\r\n${line}Connection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1.1 403 /,
      )
    }
  })

  it('a foreign origin is refused, for preflights too', async () => {
    const { url } = await startListener({ allowOrigins: [APP] })
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      for (const origin of ['https://evil.example', 'null', `${APP}.evil.com`]) {
        const headers = { origin, 'access-control-request-method': 'POST' }
        const answer = await exchange(`${url}/healthz`, { method, headers })
        expect(answer.status).toBe(403)
        expect(answer.headers['access-control-allow-origin']).toBeUndefined()
      }
    }
  })

  it('targets that are no plain path are refused', async () => {
    const { url } = await startListener()
    const { host } = new URL(url)
    for (const target of ['//healthz', `http://${host}/healthz`, '*']) {
      const method = target === '*' ? 'OPTIONS' : 'GET'
      const answer = await exchangeRaw(
        url,
        `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      )
      expect(answer).toMatch(/^HTTP\/1.1 400 /)
    }
  })
})

describe('a listed origin', () => {
  it('learns from a preflight, without a key, what it may send', async () => {
    const { url } = await startListener({ allowOrigins: [APP] })
    const headers = {
      origin: APP,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    }
    const answer = await exchange(`${url}/aap/v3/sessions`, { method: 'OPTIONS', headers })
    expect(answer.status).toBe(204)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': APP,
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': 'authorization, content-type, idempotency-key, last-event-id',
      vary: 'Origin',
    })
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
  })

  it('may read answers, errors included', async () => {
    const { url } = await startListener({ allowOrigins: [APP] })
    for (const path of ['/healthz', '/nowhere']) {
      const { headers } = await exchange(url + path, { headers: { origin: APP } })
      expect(headers['access-control-allow-origin']).toBe(APP)
      expect(headers['access-control-allow-credentials']).toBeUndefined()
    }
  })
})

it('our own page needs no permission and gets none', async () => {
  const { url } = await startListener({ allowOrigins: [APP] })
  const { status, headers } = await exchange(`${url}/healthz`, { headers: { origin: url } })
  expect(status).toBe(200)
  expect(headers['access-control-allow-origin']).toBeUndefined()
})

it('every answer carries the security headers: pages, errors, refusals and raw streams', async () => {
  const { url } = await startListener({
    routes: (app) => {
      app.get('/stream', (c) => {
        c.env.outgoing.writeHead(200, { 'Content-Type': 'text/event-stream' })
        c.env.outgoing.end(': done\n\n')
        return alreadySent()
      })
    },
  })
  const answers = [
    await exchange(`${url}/healthz`),
    await exchange(`${url}/nowhere`),
    await exchange(`${url}/healthz`, { headers: { host: 'evil.com' } }),
    await exchange(`${url}/stream`),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 403, 200])
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      vary: 'Origin',
    })
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(headers['content-security-policy']).not.toMatch(/unsafe/)
  }
})

describe('errors', () => {
  it('an unknown route is a 404 in JSON', async () => {
    const { url } = await startListener()
    for (const [method, path] of [
      ['GET', '/nowhere'],
      ['POST', '/healthz'],
      ['GET', '/healthz/'],
      ['GET', '/%00'],
    ]) {
      const answer = await exchange(url + path, { ...(method && { method }) })
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual({ error: 'Not found' })
    }
  })

  it('internal errors are logged under an id, and the client sees only that id', async () => {
    const logged: unknown[] = []
    const log: Log = { ...silentLog, error: (fields) => logged.push(fields) }
    const { url } = await startListener({
      log,
      routes: (app) => {
        app.get('/broken', () => {
          throw new Error('secret detail in /etc/place')
        })
      },
    })
    const answer = await exchange(`${url}/broken`)
    expect(answer.status).toBe(500)
    expect(answer.body).toEqual({
      error: 'Something went wrong here.',
      errorId: expect.stringMatching(/^[0-9a-f]{12}$/),
    })
    expect(logged).toEqual([expect.objectContaining({ ...errorIdOf(answer.body), route: '/broken' })])
  })

  it('a head over 16 KiB is 431 and a broken request 400, both in JSON', async () => {
    const { url } = await startListener()
    const { host } = new URL(url)
    const large = await exchangeRaw(url, `GET / HTTP/1.1\r\nHost: ${host}\r\nX-Large: ${'x'.repeat(17_000)}\r\n\r\n`)
    expect(large).toMatch(/^HTTP\/1.1 431 [^]*\{"error":"Request Header Fields Too Large"\}$/)
    expect(await exchangeRaw(url, 'NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1.1 400 [^]*\{"error":"Bad Request"\}$/)
  })
})

describe('HEAD', () => {
  it('answers like GET without a body for probes', async () => {
    const { url } = await startListener()
    const answer = await exchange(`${url}/healthz`, { method: 'HEAD' })
    expect([answer.status, answer.text]).toEqual([200, ''])
  })

  it('is refused on the doors, where a stream would never end, with the methods that are allowed', async () => {
    const { url } = await startListener({
      paths: ['/door'],
      routes: (app) => {
        app.use('/door/*', (_c, next) => next())
        app.get('/door/one', (c) => c.text('one'))
        app.get('/door/some/:id', (c) => c.text('some'))
        app.delete('/door/some/:id', (c) => c.text('gone'))
        app.all('/door/*', (c) => c.json({ error: 'Not found' }, 404))
      },
    })
    const head = async (path: string) => {
      const { status, headers } = await exchange(url + path, { method: 'HEAD' })
      return [status, headers.allow]
    }
    expect(await head('/door/one')).toEqual([405, 'GET'])
    expect(await head('/door/some/thing')).toEqual([405, 'GET, DELETE'])
    expect(await head('/door/none')).toEqual([404, undefined])
  })
})

describe('health', () => {
  it('says ok in every phase, and ready only when it is', async () => {
    let phase: 'starting' | 'ready' | 'draining' = 'starting'
    const { url } = await startListener({ phase: () => phase })
    expect(await exchange(`${url}/healthz`)).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect(await exchange(`${url}/readyz`)).toMatchObject({ status: 503, body: { status: 'starting' } })
    phase = 'ready'
    expect(await exchange(`${url}/readyz`)).toMatchObject({ status: 200, body: { status: 'ready' } })
    phase = 'draining'
    expect(await exchange(`${url}/healthz`)).toMatchObject({ status: 200 })
    expect(await exchange(`${url}/readyz`)).toMatchObject({ status: 503, body: { status: 'draining' } })
    const refused = await exchange(`${url}/aap/v3/meta`)
    expect(refused).toMatchObject({ status: 503, body: { error: 'The server is shutting down.' } })
    expect(refused.headers).toMatchObject({ 'retry-after': '2', connection: 'close' })
  })
})

it('localhost is served over IPv6 too, where there is IPv6', async () => {
  const { url } = await startListener()
  const { port } = new URL(url)
  const answer = await exchange(`http://[::1]:${port}/healthz`).catch((error: NodeJS.ErrnoException) => error.code)
  expect([expect.objectContaining({ status: 200 }), 'EADDRNOTAVAIL', 'EAFNOSUPPORT']).toContainEqual(answer)
})

function errorIdOf(body: unknown): { errorId: unknown } {
  return { errorId: typeof body === 'object' && body !== null && 'errorId' in body ? body.errorId : undefined }
}

describe('a request that needs no router', () => {
  const lane = (answer: QuickRequest['answer']): QuickLane => ({
    find: (method, url) => (method === 'POST' && url === '/aap/v3/quick' ? { pattern: '/quick', answer } : undefined),
  })

  it('is answered on its own, and every other one by the router', async () => {
    const quick = lane(async (_incoming, outgoing) => sendJson(outgoing, 200, { by: 'lane' }))
    const { url } = await startListener({
      quick,
      routes: (app) => void app.get('/aap/v3/quick', (c) => c.json({ by: 'router' })),
    })
    expect(await exchange(`${url}/aap/v3/quick`, { method: 'POST' })).toMatchObject({ body: { by: 'lane' } })
    expect(await exchange(`${url}/aap/v3/quick`)).toMatchObject({ body: { by: 'router' } })
  })

  it('passes the same checks first', async () => {
    const quick = lane(async (_incoming, outgoing) => sendJson(outgoing, 200, {}))
    const { url } = await startListener({ quick })
    const foreign = await exchange(`${url}/aap/v3/quick`, { method: 'POST', headers: { host: 'evil.com' } })
    expect(foreign.status).toBe(403)
    const stopping = await startListener({ quick, phase: () => 'draining' })
    expect((await exchange(`${stopping.url}/aap/v3/quick`, { method: 'POST' })).status).toBe(503)
  })

  it('that fails is answered like any other', async () => {
    const errors: unknown[] = []
    const log: Log = { ...silentLog, error: (fields) => void errors.push(fields) }
    const refused = lane(() => Promise.reject(new HttpRefusal(429, 'Too often.', { 'Retry-After': '7' })))
    const { url } = await startListener({ quick: refused, log })
    expect(await exchange(`${url}/aap/v3/quick`, { method: 'POST' })).toMatchObject({
      status: 429,
      body: { error: 'Too often.' },
      headers: { 'retry-after': '7' },
    })
    const broken = await startListener({ quick: lane(() => Promise.reject(new Error('secret cause'))), log })
    const { status, body } = await exchange(`${broken.url}/aap/v3/quick`, { method: 'POST' })
    expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringContaining('secret cause')])
    expect(errors).toHaveLength(1)
  })

  it('whose answer has begun is cut when it fails', async () => {
    const quick = lane(async (_incoming, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/plain' })
      outgoing.write('half')
      throw new Error('broken')
    })
    const { url } = await startListener({ quick })
    const answer = exchange(`${url}/aap/v3/quick`, { method: 'POST' })
    await expect(answer).rejects.toThrow('aborted')
  })

  it('gives a client time to read a refusal while its body is still on the way', async () => {
    const quick = lane(async (_incoming, outgoing) => sendJson(outgoing, 413, { error: 'too large' }))
    const { url } = await startListener({ quick })
    const { host } = new URL(url)
    const body = 'x'.repeat(4 * 1024 * 1024)
    const head = `POST /aap/v3/quick HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${body.length}\r\n\r\n`
    const next = `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    expect(await exchangeRaw(url, head + body + next)).toMatch(/^HTTP\/1.1 413 [^]*too large[^]*HTTP\/1.1 200 OK/)
  })
})
