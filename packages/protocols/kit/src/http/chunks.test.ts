import { once } from 'node:events'
import { createServer, get, type RequestListener } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { beginChunks, endChunks, writeChunk } from './chunks.ts'

const TEXTS = ['first', 'ünï ☃ 𝄞', 'x'.repeat(70_000), '\r\n0\r\n\r\n']

const answerInChunks: RequestListener = (_request, response) => {
  beginChunks(response, { 'content-type': 'text/event-stream' })
  for (const text of TEXTS) writeChunk(response, text)
  endChunks(response, 'last')
}

async function withServer<T>(listener: RequestListener, use: (port: number) => Promise<T>): Promise<T> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await use((server.address() as AddressInfo).port)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

/** All bytes until the server closes the connection. */
async function exchange(port: number, ...requests: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  for (const request of requests) socket.write(request)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4)

describe('a body in chunks', () => {
  it('arrives whole at a client of HTTP/1.1, which can use its connection again', async () => {
    await withServer(answerInChunks, async (port) => {
      const sockets = new Set<unknown>()
      for (let round = 0; round < 2; round++) {
        const [response] = await once(get({ port, host: '127.0.0.1' }), 'response')
        sockets.add(response.socket)
        let body = ''
        for await (const text of response.setEncoding('utf8')) body += String(text)
        expect(body).toBe([...TEXTS, 'last'].join(''))
        expect(response.headers['transfer-encoding']).toBe('chunked')
      }
      expect(sockets.size).toBe(1)
    })
  })

  it('is sent in bytes, each in one piece', async () => {
    const listener: RequestListener = (_request, response) => {
      beginChunks(response, {})
      writeChunk(response, 'é')
      writeChunk(response, 'abcdefghijklmnop')
      endChunks(response, '')
    }
    const answer = await withServer(listener, (port) =>
      exchange(port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    )
    expect(bodyOf(answer)).toBe('2\r\né\r\n10\r\nabcdefghijklmnop\r\n0\r\n\r\n')
  })

  it('ends with the connection of a client of HTTP/1.0', async () => {
    const answer = await withServer(answerInChunks, (port) => exchange(port, 'GET / HTTP/1.0\r\n\r\n'))
    expect(answer).not.toMatch(/transfer-encoding/i)
    expect(bodyOf(answer)).toBe([...TEXTS, 'last'].join(''))
  })

  it('waits for its turn behind another answer on the same connection', async () => {
    const release = Promise.withResolvers<void>()
    const listener: RequestListener = (request, response) => {
      if (request.url === '/slow') return void release.promise.then(() => response.end('slow'))
      answerInChunks(request, response)
      release.resolve()
    }
    const answer = await withServer(listener, (port) =>
      exchange(
        port,
        'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n',
        'GET /chunks HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      ),
    )
    const [, first, second] = answer.split('HTTP/1.1 200 OK')
    expect(bodyOf(first ?? '')).toBe('slow')
    expect(second).toContain('4\r\nlast\r\n0\r\n\r\n')
  })

  it('leaves at once, so that what waits for the client is known', async () => {
    const lengths: number[] = []
    const listener: RequestListener = (_request, response) => {
      beginChunks(response, {})
      for (const text of ['a', 'b']) {
        writeChunk(response, text)
        lengths.push(response.writableLength)
      }
      endChunks(response, '')
    }
    await withServer(listener, (port) => exchange(port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'))
    expect(lengths).toEqual([0, 0])
  })
})
