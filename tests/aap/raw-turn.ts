import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import type { Exchange } from '../support/http-exchange.ts'
import { type Frame, createSseParser } from '../support/sse-parser.ts'

export interface RawAnswer {
  readonly head: string
  /** Without the chunk framing. */
  readonly body: string
  readonly frames: readonly Frame[]
}

/** Writes the request by hand on a socket of its own. Nothing is read until the caller does it. */
export async function openRawTurn(exchange: Exchange): Promise<Socket> {
  const { hostname, port, pathname, search } = new URL(exchange.url)
  const socket = connect({ host: hostname, port: Number(port) })
  await once(socket, 'connect')
  const body = String(exchange.body ?? '')
  const headers = {
    host: `${hostname}:${port}`,
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
    ...exchange.headers,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.write(`${exchange.method} ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
  return socket
}

/** Reads until the server closes the connection. A chunked body must come to its proper end. */
export async function readUntilClosed(exchange: Exchange): Promise<RawAnswer> {
  const socket = await openRawTurn(exchange)
  const received: Buffer[] = []
  for await (const bytes of socket) received.push(bytes as Buffer)
  const { head, chunks, isComplete } = splitAnswer(Buffer.concat(received))
  if (!isComplete) throw new Error('the connection closed before the body had ended')
  return { head, ...readEvents(chunks) }
}

export function readEvents(chunks: Buffer): { readonly body: string; readonly frames: readonly Frame[] } {
  const parser = createSseParser()
  const frames = parser.feed(chunks)
  parser.end()
  return { body: chunks.toString('utf8'), frames }
}

/** Takes the chunk framing off. `isComplete` tells whether the last chunk was there. */
export function splitAnswer(answer: Buffer): {
  readonly head: string
  readonly chunks: Buffer
  readonly isComplete: boolean
} {
  const headEnd = answer.indexOf('\r\n\r\n')
  if (headEnd === -1) throw new Error(`no complete head: ${answer.toString('latin1').slice(0, 200)}`)
  const head = answer.subarray(0, headEnd).toString('latin1')
  if (!/^transfer-encoding: chunked\r?$/im.test(head)) {
    return { head, chunks: answer.subarray(headEnd + 4), isComplete: true }
  }
  const chunks: Buffer[] = []
  let at = headEnd + 4
  for (;;) {
    const sizeEnd = answer.indexOf('\r\n', at)
    if (sizeEnd === -1) return { head, chunks: Buffer.concat(chunks), isComplete: false }
    const size = Number.parseInt(answer.subarray(at, sizeEnd).toString('latin1'), 16)
    if (size === 0) return { head, chunks: Buffer.concat(chunks), isComplete: true }
    const data = answer.subarray(sizeEnd + 2, sizeEnd + 2 + size)
    chunks.push(data)
    if (data.length < size) return { head, chunks: Buffer.concat(chunks), isComplete: false }
    at = sizeEnd + 2 + size + 2
  }
}
