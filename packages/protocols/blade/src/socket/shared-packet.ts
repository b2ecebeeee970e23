import type { Socket } from 'socket.io'
import type { Adapter } from 'socket.io-adapter'

type Connection = Socket['conn']

/** As Engine.IO reads them. `wsPreEncodedFrame` is the head and the payload of a WebSocket frame. */
interface PacketOptions {
  readonly compress: false
  wsPreEncodedFrame?: readonly Buffer[]
}

/**
 * A packet that many connections get. All WebSockets write the same buffers, so that a packet costs its own size once and
 * not once for each of them. Compression is off: it would encode the packet for each connection.
 */
export class SharedPacket {
  readonly #texts: readonly string[]
  readonly #options: PacketOptions

  private constructor(texts: readonly string[], options: PacketOptions) {
    this.#texts = texts
    this.#options = options
  }

  /** The adapter encodes a packet and, where it can, the frame; only its type hides this. */
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
    // The frame is all that a WebSocket sends, and the text would stay in memory as long as the packet waits.
    for (const text of hasFrame ? [''] : this.#texts) connection.write(text, this.#options)
  }
}

/** The size of a packet's frame; `undefined` for a packet without one. */
export function sizeOf(options: object | undefined): number | undefined {
  const frame: unknown = options && Reflect.get(options, 'wsPreEncodedFrame')
  if (!Array.isArray(frame)) return undefined
  return (frame as readonly Buffer[]).reduce((sum, { length }) => sum + length, 0)
}
