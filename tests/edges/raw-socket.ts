import { once } from 'node:events'
import { type Socket, connect } from 'node:net'

export interface RawReply {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Sends these bytes on a connection of its own and reads until the server closes it. */
export async function exchangeRaw(address: { readonly port: number }, bytes: string | Buffer): Promise<RawReply> {
  const socket = await openRaw(address)
  socket.write(bytes)
  return readReply(socket)
}

export async function openRaw({ port }: { readonly port: number }): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port })
  // A server that has seen enough closes while we still write.
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

export async function readReply(socket: Socket): Promise<RawReply> {
  const received: Buffer[] = []
  socket.on('data', (bytes: Buffer) => received.push(bytes))
  await new Promise<void>((resolve) => {
    if (socket.destroyed) resolve()
    else socket.once('close', () => resolve())
  })
  return parseReply(Buffer.concat(received).toString('latin1'))
}

export function parseReply(text: string): RawReply {
  const [head = '', ...body] = text.split('\r\n\r\n')
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0), head, body: body.join('\r\n\r\n') }
}

/** `close` is asked for, so that the end of the answer is the end of the connection. */
export function rawRequest(method: string, path: string, headers: readonly string[]): string {
  const lines = [...headers, 'Connection: close']
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
}
