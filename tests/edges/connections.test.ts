// Connections that send too much of a head, too slowly, or nothing, and connections that nobody has vouched for.
import { setTimeout as delay } from 'node:timers/promises'
import type { Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { exchangeText } from '../support/http-exchange.ts'
import { eventually } from '../support/eventually.ts'
import { bearer, type EdgeServer, startEdgeServer } from './edge-server.ts'
import { exchangeRaw, openRaw, rawRequest, readReply } from './raw-socket.ts'

let server: EdgeServer
const sockets: Socket[] = []

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await server.stop()
})

/** A hundred at a time: more than the kernel's queue holds would only seem to be connected. */
async function openMany(count: number): Promise<readonly Socket[]> {
  const opened: Socket[] = []
  while (opened.length < count) {
    const size = Math.min(100, count - opened.length)
    opened.push(...(await Promise.all(Array.from({ length: size }, () => openRaw(server)))))
  }
  sockets.push(...opened)
  // Who does not read does not notice that the other end has closed.
  for (const socket of opened) socket.resume()
  return opened
}

const countOpen = (all: readonly Socket[]): number => all.filter(({ destroyed }) => !destroyed).length

describe('C20, B3: heads that are bombs', () => {
  it('B3: a head over 16 KiB is 431, whether it is one line or very many', async () => {
    server = await startEdgeServer()
    const host = `Host: ${server.host}`
    const heads = [
      [host, `X-Long: ${'x'.repeat(64 * 1024)}`],
      [host, ...Array.from({ length: 100_000 }, (_, index) => `X-${index}: y`)],
      [host, `Cookie: ${'a=b; '.repeat(10_000)}`],
      [host, `Authorization: Bearer ${'x'.repeat(20_000)}`],
    ]
    for (const lines of heads) expect((await exchangeRaw(server, rawRequest('GET', '/', lines))).status).toBe(431)
    const long = rawRequest('GET', `/?${'a=1&'.repeat(10_000)}`, [host])
    expect((await exchangeRaw(server, long)).status).toBe(431)
  })

  it('B3: thousands of query parameters and headers within that are harmless', async () => {
    server = await startEdgeServer()
    const auth = [`Host: ${server.host}`, `Authorization: Bearer ${server.key}`]
    const query = Array.from({ length: 3_000 }, (_, index) => `a${index % 7}=1`).join('&')
    expect((await exchangeRaw(server, rawRequest('GET', `/api/polylogue/me?${query}`, auth))).status).toBe(200)
    const lines = Array.from({ length: 700 }, (_, index) => `a${index}:1`)
    expect((await exchangeRaw(server, rawRequest('GET', '/api/polylogue/me', [...auth, ...lines]))).status).toBe(200)
  })

  it('B3: thousands of requests in one packet are answered in their order, or the connection is closed', async () => {
    server = await startEdgeServer()
    const one = `GET /healthz HTTP/1.1\r\nHost: ${server.host}\r\n\r\n`
    const socket = await openRaw(server)
    socket.write(one.repeat(2_000) + rawRequest('GET', '/nowhere', [`Host: ${server.host}`]))
    const { head, body } = await readReply(socket)
    const text = head + body
    expect(text.match(/HTTP\/1\.1 200/g)?.length).toBe(2_000)
    expect(text.match(/HTTP\/1\.1 404/g)?.length).toBe(1)
  })

  it('B1: bytes that are not HTTP get 400 or a closed connection', async () => {
    server = await startEdgeServer()
    const nonsense = [
      '\u0000\u0001\u0002\r\n\r\n',
      'GET\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      `${'A'.repeat(5_000)}\r\n\r\n`,
    ]
    const framed = [
      '{"jsonrpc":"2.0"}\n\n\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ]
    for (const bytes of [...nonsense, ...framed]) expect([0, 400]).toContain((await exchangeRaw(server, bytes)).status)
    expect((await exchangeText({ method: 'GET', url: `${server.url}/healthz` })).status).toBe(200)
  })
})

describe('C19, B5: connections that take their time', () => {
  it('B5: a head that does not come, and a body that does not, are 408; a valid client is answered meanwhile', async () => {
    server = await startEdgeServer({ config: { limits: { headersMs: 1_000, requestMs: 3_000 } } })
    const auth = `Host: ${server.host}\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/json\r\n`
    const heads = await openMany(20)
    for (const socket of heads) socket.write(`GET / HTTP/1.1\r\nHost: ${server.host}\r\nX-`)
    const bodies = await openMany(20)
    for (const socket of bodies) socket.write(`POST /aap/v3/sessions HTTP/1.1\r\n${auth}Content-Length: 1000\r\n\r\n{`)
    const startedAt = performance.now()
    const trickle = setInterval(() => {
      for (const socket of [...heads, ...bodies]) if (!socket.destroyed) socket.write('x')
    }, 100)
    const replies = Promise.all([...heads, ...bodies].map(readReply))
    try {
      const times: number[] = []
      while (countOpen([...heads, ...bodies]) > 0 && performance.now() - startedAt < 20_000) {
        const askedAt = performance.now()
        const { status } = await exchangeText({
          method: 'GET',
          url: `${server.url}/api/polylogue/me`,
          headers: bearer(server.key),
        })
        expect(status).toBe(200)
        times.push(performance.now() - askedAt)
        await delay(20)
      }
      expect(Math.max(...times)).toBeLessThan(1_000)
      const statuses = (await replies).map(({ status }) => status)
      expect(statuses.slice(0, 20)).toEqual(Array(20).fill(408))
      expect(statuses.slice(20).filter((status) => ![0, 400, 408].includes(status))).toEqual([])
      expect(performance.now() - startedAt).toBeLessThan(15_000)
    } finally {
      clearInterval(trickle)
    }
  })
})

describe('B5: connections without a key', () => {
  const config = { limits: { unauthenticatedSockets: 8, loopback: 'counted' } }

  it('B5: Socket.IO handshakes per address are limited too, even without an open TCP connection', async () => {
    server = await startEdgeServer({ config })
    const url = `${server.url}/socket.io/?EIO=4&transport=polling`
    const statuses: number[] = []
    for (let count = 0; count < 10; count++) statuses.push((await exchangeText({ method: 'GET', url })).status)
    expect(statuses).toEqual([...Array.from({ length: 8 }, () => 200), 403, 403])
  })

  it('B5: the number per address is limited; authenticating or disconnecting frees a slot', async () => {
    server = await startEdgeServer({ config })
    const first = await openMany(8)
    const [tooMany] = await openMany(1)
    await eventually(async () => (tooMany?.destroyed ? true : undefined), 'the ninth is closed')
    expect(countOpen(first)).toBe(8)

    // On one of them somebody shows a key: it counts no longer, and stays.
    const [vouched, leaving] = first
    vouched?.write(
      `GET /api/polylogue/me HTTP/1.1\r\nHost: ${server.host}\r\nAuthorization: Bearer ${server.key}\r\n\r\n`,
    )
    await new Promise((resolve) => vouched?.once('data', resolve))
    const [ninth] = await openMany(1)
    expect((await askOn(ninth)).status).toBe(200)

    leaving?.destroy()
    await eventually(async () => {
      const reply = await exchangeRaw(server, rawRequest('GET', '/healthz', [`Host: ${server.host}`]))
      return reply.status === 200 ? true : undefined
    }, 'there is room again')
  })

  it('B5: wrong keys do not make room', async () => {
    server = await startEdgeServer({ config })
    const all = await openMany(8)
    const wrong = `GET /api/polylogue/me HTTP/1.1\r\nHost: ${server.host}\r\nAuthorization: Bearer wrong\r\n\r\n`
    for (const socket of all) {
      socket.write(wrong)
      await new Promise((resolve) => socket.once('data', resolve))
    }
    const [tooMany] = await openMany(1)
    await eventually(async () => (tooMany?.destroyed ? true : undefined), 'the ninth is closed')
  })

  it('B5: two thousand of them leave the server available to clients with a key', async () => {
    server = await startEdgeServer({ config: { limits: { loopback: 'counted' } } })
    const vouched = await openRaw(server)
    sockets.push(vouched)
    expect((await askOn(vouched)).status).toBe(200)
    const flood = await openMany(2_000)
    await eventually(async () => (countOpen(flood) <= 64 ? true : undefined), 'all but 64 are closed')
    expect(countOpen(flood)).toBe(64)
    expect((await askOn(vouched)).status).toBe(200)
  })

  it('B5: connections from this machine are not counted unless configured', async () => {
    server = await startEdgeServer()
    const all = await openMany(200)
    expect((await exchangeText({ method: 'GET', url: `${server.url}/healthz` })).status).toBe(200)
    expect(countOpen(all)).toBe(200)
  })
})

/** A request on a connection that stays open. */
async function askOn(socket: Socket | undefined): Promise<{ readonly status: number }> {
  if (socket === undefined) throw new Error('no connection')
  socket.write(`GET /api/polylogue/me HTTP/1.1\r\nHost: ${server.host}\r\nAuthorization: Bearer ${server.key}\r\n\r\n`)
  const data = await new Promise<Buffer>((resolve) => socket.once('data', resolve))
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1'))?.[1]) }
}
