import { connect, type Socket } from 'node:net'
import type { ChildServer } from './child-server.ts'

const TEXT_FRAME = 0x81
const MASKED = 0x80
const PING = '2'

/**
 * A Socket.IO client over WebSocket that counts messages instead of parsing them, so that it costs as little CPU as
 * possible. Frames of the server are text, whole and unmasked.
 */
export class RawSocketClient {
  readonly #socket: Socket
  #rest: Buffer = Buffer.alloc(0)
  #isOpen = false
  #wanted: { readonly prefix: string; resolve(message: string): void } | undefined
  /** Messages of all kinds so far. */
  messages = 0

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('error', () => undefined)
  }

  /** Connects and signs in with `auth`. */
  static async open({ url }: Pick<ChildServer, 'url'>, auth: object): Promise<RawSocketClient> {
    const socket = connect(Number(url.port), url.hostname)
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    const client = new RawSocketClient(socket)
    const opened = client.hear('0{')
    socket.write(
      `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: ${url.host}\r\nConnection: Upgrade\r\n` +
        'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AQEBAQEBAQEBAQEBAQEBAQ==\r\n\r\n',
    )
    await opened
    const welcome = client.hear('40')
    client.#write(`40${JSON.stringify(auth)}`)
    await welcome
    return client
  }

  /** Resolves with the acknowledgement. */
  async ask(event: string, payload: object): Promise<string> {
    const acked = this.hear('430')
    this.#write(`420${JSON.stringify([event, payload])}`)
    return acked
  }

  /** The next message with this prefix. */
  hear(prefix: string): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>()
    this.#wanted = { prefix, resolve }
    return promise
  }

  close(): void {
    this.#socket.destroy()
  }

  #write(text: string): void {
    const bytes = Buffer.from(text)
    const length = bytes.length < 126 ? [MASKED | bytes.length] : [MASKED | 126, bytes.length >> 8, bytes.length & 0xff]
    // A mask of zeros leaves the bytes as they are.
    this.#socket.write(Buffer.concat([Buffer.from([TEXT_FRAME, ...length, 0, 0, 0, 0]), bytes]))
  }

  #receive(chunk: Buffer): void {
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    if (!this.#isOpen) {
      const end = rest.indexOf('\r\n\r\n')
      if (end === -1) {
        this.#rest = rest
        return
      }
      this.#isOpen = true
      rest = rest.subarray(end + 4)
    }
    for (let frame = readFrame(rest); frame !== undefined; frame = readFrame(rest)) {
      rest = rest.subarray(frame.end)
      this.#take(frame.payload)
    }
    this.#rest = rest
  }

  #take(payload: Buffer): void {
    this.messages++
    const wanted = this.#wanted
    if (wanted !== undefined && payload.subarray(0, wanted.prefix.length).toString('latin1') === wanted.prefix) {
      this.#wanted = undefined
      wanted.resolve(payload.toString())
    }
    if (payload.length === 1 && payload.toString('latin1') === PING) this.#write('3')
  }
}

interface Frame {
  readonly payload: Buffer
  readonly end: number
}

function readFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined
  const short = bytes[1] ?? 0
  const head = short < 126 ? 2 : short === 126 ? 4 : 10
  if (bytes.length < head) return undefined
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  const end = head + length
  return bytes.length < end ? undefined : { payload: bytes.subarray(head, end), end }
}
