import type { Socket } from 'socket.io'
import type { Duplex } from 'node:stream'

type Connection = Socket['conn']

export interface ByteBounds {
  /** Before it is known whose they are. */
  readonly firstBytes: number
  readonly messageBytes: number
}

interface Bounded {
  maxHttpBufferSize?: number
}

/**
 * Bounds what a connection may send before it is known whose it is. A polling request is bounded by its transport; over a
 * WebSocket, from the start or after an upgrade, the bytes are counted as they come in.
 */
export class FirstBytes {
  readonly #bounds: ByteBounds
  readonly #counted = new WeakMap<Duplex, () => void>()
  /** WebSockets that connections which nobody knows yet have moved to. */
  readonly #upgraded = new Map<string, Duplex[]>()

  constructor(bounds: ByteBounds) {
    this.#bounds = bounds
  }

  /** A WebSocket begins; `connectionId` names the connection that moves to it. */
  count(socket: Duplex, connectionId: string | undefined): void {
    let left = this.#bounds.firstBytes
    const onBytes = (chunk: Buffer): void => {
      left -= chunk.length
      if (left < 0) socket.destroy()
    }
    socket.on('data', onBytes)
    this.#counted.set(socket, () => socket.off('data', onBytes))
    const moved = connectionId === undefined ? undefined : this.#upgraded.get(connectionId)
    // Of one that is known already, nothing is counted.
    if (connectionId !== undefined && moved === undefined) this.#lift(socket)
    else moved?.push(socket)
  }

  opened(connection: Connection): void {
    if (connection.transport.name === 'websocket') return
    this.#upgraded.set(idOf(connection), [])
    ;(connection.transport as Bounded).maxHttpBufferSize = this.#bounds.firstBytes
    connection.once('close', () => this.#upgraded.delete(idOf(connection)))
  }

  /** It is known whose it is. */
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

/** The name under which clients refer to it; only its type hides it. */
const idOf = (connection: Connection): string => String(Reflect.get(connection, 'id'))
