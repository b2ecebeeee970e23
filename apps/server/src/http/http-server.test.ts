import { describe, expect, it, onTestFinished } from 'vitest'
import { HttpRefusal } from './http-refusal.ts'
import { createHttpServer } from './http-server.ts'
import { exchange, exchangeRaw } from '../test-support/exchange.ts'
import { startListener } from '../test-support/start-listener.ts'
import { requireCaller } from './require-caller.ts'
import { listenOnTcp } from './tcp-listener.ts'

it('gives slow clients ten seconds for the head of a request and thirty for all of it', () => {
  const server = createHttpServer(() => undefined)
  expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000, timeout: 0 })
})

it('a refusal says when to retry, or what to present', async () => {
  const { url } = await startListener({
    routes: (app) => {
      app.use(
        '/limited',
        requireCaller(async () => ({ type: 'refused', status: 429, error: 'Slow.', retryAfterS: 42 })),
      )
      app.use(
        '/closed',
        requireCaller(async () => ({ type: 'refused', status: 401, error: 'Unauthorized' })),
      )
      app.get('/broken', () => {
        throw new HttpRefusal(409, 'Busy.')
      })
    },
  })
  const limited = await exchange(`${url}/limited`)
  expect([limited.status, limited.headers['retry-after'], limited.body]).toEqual([429, '42', { error: 'Slow.' }])
  const closed = await exchange(`${url}/closed`)
  expect([closed.status, closed.headers['www-authenticate'], closed.body]).toEqual([
    401,
    'Bearer',
    { error: 'Unauthorized' },
  ])
  expect(await exchange(`${url}/broken`)).toMatchObject({ status: 409, body: { error: 'Busy.' } })
})

describe('a request that offers to speak another protocol', () => {
  it('is answered as a normal request when the protocol is unknown, and closes the connection', async () => {
    const { url } = await startListener({ routes: (app) => app.post('/said', async (c) => c.json(await c.req.json())) })
    const lines = [
      `Host: ${new URL(url).host}`,
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABk',
      'Content-Type: application/json',
    ].join('\r\n')
    const got = await exchangeRaw(url, `GET /healthz HTTP/1.1\r\n${lines}\r\n\r\n`)
    expect(got).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\nConnection: close\r\n[^]*\{"status":"ok"\}$/)
    const said = await exchangeRaw(url, `POST /said HTTP/1.1\r\n${lines}\r\nContent-Length: 10\r\n\r\n{"said":1}`)
    expect(said).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\{"said":1\}$/)
  })

  it.each(['websocket', 'WebSocket', 'h2c, websocket'])('is taken at its word: %s', async (offer) => {
    const server = createHttpServer(() => undefined, { upgradesTo: ['websocket'] })
    server.on('upgrade', (_incoming, socket) => socket.end('taken'))
    const { url, close } = await listenOnTcp(server, { host: '127.0.0.1', port: 0 })
    onTestFinished(close)
    const head = ['GET / HTTP/1.1', 'Host: x', 'Connection: Upgrade', `Upgrade: ${offer}`, '', '']
    expect(await exchangeRaw(url, head.join('\r\n'))).toBe('taken')
  })
})
