import type { Socket } from 'socket.io'
import type { Adapter } from 'socket.io-adapter'

type Connection = Socket['conn']

/** Options of Engine.IO. `wsPreEncodedFrame` is the head and the payload of a WebSocket frame. */
interface PacketOptions {
  readonly compress: false
  wsPreEncodedFrame?: readonly Buffer[]
}

/**
 * A packet for many connections. All WebSockets write the same buffers, so a packet costs its size only once. Compression
 * is off, because it would encode the packet for each connection.
 */
export class SharedPacket {
  readonly #texts: readonly string[]
  readonly #options: PacketOptions

  private constructor(texts: readonly string[], options: PacketOptions) {
    this.#texts = texts
    this.#options = options
  }

  /** The adapter encodes a packet and, if possible, the frame. Its types hide this. */
  static encode(packet: unknown, adapter: Adapter): SharedPacket {
    const options: PacketOptions = { compress: false }
    const encode: unknown = Reflect.get(adapter, '_encode')
    if (typeof encode !== 'function') throw new Error('this version of socket.io-adapter cannot encode in advance')
    return new SharedPacket(Reflect.apply(encode, adapter, [packet, options]) as readonly string[], options)
  }

  get bytes(): number {
    return sizeOf(this.#options) ?? this.#texts.reduce((sum, { length }) => sum + length, 0)
  }

  writeTo(connection: Connection): void {
    const hasFrame = this.#options.wsPreEncodedFrame !== undefined && connection.transport.name === 'websocket'
    // A WebSocket sends only the frame. Keeping the text would hold it in memory while the packet waits.
    for (const text of hasFrame ? [''] : this.#texts) connection.write(text, this.#options)
  }
}

/** The size of a packet's frame; `undefined` for a packet without one. */
export function sizeOf(options: object | undefined): number | undefined {
  const frame: unknown = options && Reflect.get(options, 'wsPreEncodedFrame')
  if (!Array.isArray(frame)) return undefined
  return (frame as readonly Buffer[]).reduce((sum, { length }) => sum + length, 0)
}
