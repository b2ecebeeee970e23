// Sockets take no compressed frames: a few kilobytes would be unpacked to gigabytes.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { deflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type EdgeServer, startEdgeServer } from '../edges/edge-server.ts'
import { exchangeText } from '../support/http-exchange.ts'

let server: EdgeServer
beforeAll(async () => {
  server = await startEdgeServer()
})
afterAll(() => server.stop())

const MEBIBYTE = 1024 * 1024
const OFFERS = ['permessage-deflate', 'permessage-deflate; client_max_window_bits', 'x-webkit-deflate-frame']

async function upgrade(path: string, offer: string): Promise<{ readonly socket: Socket; readonly head: string }> {
  const socket = connect({ host: '127.0.0.1', port: server.port })
  await once(socket, 'connect')
  socket.on('error', () => socket.destroy())
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: ${server.host}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    `Sec-WebSocket-Extensions: ${offer}`,
    `Authorization: Bearer ${server.key}`,
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  return { socket, head: String(bytes) }
}

/** A text frame whose first reserved bit says that it is compressed. */
function compressedFrame(payload: Buffer): Buffer {
  const head = Buffer.alloc(14)
  head[0] = 0b1100_0001
  head[1] = 0x80 | 127
  head.writeBigUInt64BE(BigInt(payload.length), 2)
  // The mask is all zeros, which leaves the payload as it is.
  return Buffer.concat([head, payload])
}

it.each(['/acp?agent=scripted', '/socket.io/?EIO=4&transport=websocket'])(
  'C19: %s agrees to no compression and ends a connection that sends compressed frames',
  async (path) => {
    const bomb = compressedFrame(deflateRawSync(Buffer.alloc(50 * MEBIBYTE, '[')))
    const before = process.memoryUsage().arrayBuffers
    for (const offer of OFFERS) {
      const { socket, head } = await upgrade(path, offer)
      expect([offer, head]).toEqual([offer, expect.stringMatching(/^HTTP\/1\.1 101 /)])
      expect(head.toLowerCase()).not.toContain('sec-websocket-extensions')
      const closed = once(socket, 'close')
      socket.resume().write(bomb)
      await closed
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40 * MEBIBYTE)
    const health = await exchangeText({ method: 'GET', url: `${server.url}/healthz` })
    expect(health.status).toBe(200)
  },
)
