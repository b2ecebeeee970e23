import type { Socket } from 'socket.io'
import type { Duplex } from 'node:stream'

type Connection = Socket['conn']

export interface ByteBounds {
  /** Before authentication. */
  readonly firstBytes: number
  readonly messageBytes: number
}

interface Bounded {
  maxHttpBufferSize?: number
}

/**
 * Limits what a connection may send before authentication. The transport limits a polling request. On a WebSocket, direct
 * or upgraded, the bytes are counted as they arrive.
 */
export class FirstBytes {
  readonly #bounds: ByteBounds
  readonly #counted = new WeakMap<Duplex, () => void>()
  /** WebSockets of unauthenticated connections that were upgraded. */
  readonly #upgraded = new Map<string, Duplex[]>()

  constructor(bounds: ByteBounds) {
    this.#bounds = bounds
  }

  /** A WebSocket opened. `connectionId` names the connection that is upgraded to it. */
  count(socket: Duplex, connectionId: string | undefined): void {
    let left = this.#bounds.firstBytes
    const onBytes = (chunk: Buffer): void => {
      left -= chunk.length
      if (left < 0) socket.destroy()
    }
    socket.on('data', onBytes)
    this.#counted.set(socket, () => socket.off('data', onBytes))
    const moved = connectionId === undefined ? undefined : this.#upgraded.get(connectionId)
    // Authenticated connections are not counted.
    if (connectionId !== undefined && moved === undefined) this.#lift(socket)
    else moved?.push(socket)
  }

  opened(connection: Connection): void {
    if (connection.transport.name === 'websocket') return
    this.#upgraded.set(idOf(connection), [])
    ;(connection.transport as Bounded).maxHttpBufferSize = this.#bounds.firstBytes
    connection.once('close', () => this.#upgraded.delete(idOf(connection)))
  }

  /** The connection is authenticated. */
  known(connection: Connection): void {
    this.#lift(connection.request.socket)
    for (const socket of this.#upgraded.get(idOf(connection)) ?? []) this.#lift(socket)
    this.#upgraded.delete(idOf(connection))
    if (connection.transport.name !== 'websocket') {
      ;(connection.transport as Bounded).maxHttpBufferSize = this.#bounds.messageBytes
    }
  }

  #lift(socket: Duplex): void {
    this.#counted.get(socket)?.()
    this.#counted.delete(socket)
  }
}

/** The id that clients use. Socket.IO's types hide it. */
const idOf = (connection: Connection): string => String(Reflect.get(connection, 'id'))
