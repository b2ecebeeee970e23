// A Socket.IO client over a bare TCP connection, which can read as badly as it likes.
import type { BladeOutput } from '@polylogue/blade'
import { type Socket, connect } from 'node:net'

/**
 * `all`: as it comes. `slow`: 100 bytes in a second. `none`: nothing. `mute`: everything, but it looks at nothing and
 * answers no ping.
 */
export type ReadingManner = 'all' | 'slow' | 'none' | 'mute'

const SLICE = 25
const SLICES_PER_SECOND = 4

export interface RawSocketOptions {
  readonly url: string
  readonly key: string
  readonly sessionId: string
  readonly manner: ReadingManner
}

/** Subscribed to one session. */
export interface RawSocket {
  readonly told: readonly BladeOutput[]
  listen(listener: (output: BladeOutput) => void): void
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>
  close(): void
}

export async function openRawSocket({ url, key, sessionId, manner }: RawSocketOptions): Promise<RawSocket> {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve())
  })
  socket.on('error', () => undefined)
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
  const told: BladeOutput[] = []
  const listeners: ((output: BladeOutput) => void)[] = []
  const subscribed = Promise.withResolvers<void>()
  const take = (text: string): void => {
    if (text.startsWith('0{')) write(socket, `40${JSON.stringify({ token: key, lean: true })}`)
    else if (text.startsWith('40')) write(socket, `420["session:subscribe",{"session_id":"${sessionId}"}]`)
    else if (text.startsWith('430')) subscribed.resolve()
    else if (text === '2') write(socket, '3')
    else if (text.startsWith('42')) {
      const output = toOutput(text.slice(2))
      told.push(output)
      for (const listener of listeners) listener(output)
    }
  }
  readFrames(socket, take)
  socket.write(
    `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\n` +
      'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AQEBAQEBAQEBAQEBAQEBAQ==\r\n\r\n',
  )
  await subscribed.promise
  if (manner !== 'all') readBadly(socket, manner)
  return { told, listen: (listener) => void listeners.push(listener), closed, close: () => socket.destroy() }
}

function toOutput(text: string): BladeOutput {
  const [event, payload] = JSON.parse(text) as [BladeOutput['event'], unknown]
  return { event, payload } as BladeOutput
}

/** Frames of the server are text, whole and unmasked. */
function readFrames(socket: Socket, take: (text: string) => void): void {
  let rest: Buffer = Buffer.alloc(0)
  let isOpen = false
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    if (!isOpen) {
      const end = rest.indexOf('\r\n\r\n')
      if (end === -1) return
      isOpen = true
      rest = rest.subarray(end + 4)
    }
    while (rest.length >= 2) {
      const short = rest[1] ?? 0
      const head = short < 126 ? 2 : short === 126 ? 4 : 10
      if (rest.length < head) return
      const length = short < 126 ? short : short === 126 ? rest.readUInt16BE(2) : Number(rest.readBigUInt64BE(2))
      if (rest.length < head + length) return
      const text = rest.toString('utf8', head, head + length)
      rest = rest.subarray(head + length)
      take(text)
    }
  })
}

function readBadly(socket: Socket, manner: Exclude<ReadingManner, 'all'>): void {
  socket.removeAllListeners('data')
  if (manner === 'mute') return void socket.resume()
  socket.pause()
  if (manner === 'none') return
  const timer = setInterval(() => socket.read(SLICE), 1000 / SLICES_PER_SECOND)
  socket.once('close', () => clearInterval(timer))
}

/** Masked with zeros, which leaves the bytes as they are. */
function write(socket: Socket, text: string): void {
  const bytes = Buffer.from(text)
  const length = bytes.length < 126 ? [0x80 | bytes.length] : [0xfe, bytes.length >> 8, bytes.length & 0xff]
  socket.write(Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), bytes]))
}
