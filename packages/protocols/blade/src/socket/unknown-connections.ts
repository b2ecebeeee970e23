import type { IncomingMessage } from 'node:http'

export interface UnknownConnectionsOptions {
  readonly perClient: number
  /** Whom a request counts for; `undefined`: for nobody. */
  clientOf(incoming: IncomingMessage): string | undefined
  /** One too many was turned away. */
  refused(): void
}

/** As Engine.IO has it. */
export interface Connection {
  readonly request: IncomingMessage
  once(event: 'close', run: () => void): unknown
}

/**
 * Connections of which nobody knows yet whose they are: each client may have only so many. A polling one lives on without
 * any TCP connection, so counting those is not enough.
 */
export class UnknownConnections {
  readonly #options: UnknownConnectionsOptions
  readonly #counts = new Map<string, number>()
  /** By what they count for: a request that was let in, then the connection that it opened. */
  readonly #clients = new WeakMap<IncomingMessage | Connection, string>()

  constructor(options: UnknownConnectionsOptions) {
    this.#options = options
  }

  /** Whether this request may open a connection. It counts from now on, as many may come before the first is open. */
  admit(incoming: IncomingMessage): boolean {
    const { perClient, clientOf, refused } = this.#options
    const client = clientOf(incoming)
    if (client === undefined) return true
    if ((this.#counts.get(client) ?? 0) >= perClient) {
      refused()
      return false
    }
    this.#count(incoming, client)
    // Engine.IO opens it at once or never, and does not tell of every handshake that fails.
    setImmediate(() => this.#release(incoming))
    return true
  }

  opened(connection: Connection): void {
    const client = this.#clients.get(connection.request) ?? this.#options.clientOf(connection.request)
    if (client === undefined) return
    this.#release(connection.request)
    this.#count(connection, client)
    connection.once('close', () => this.#release(connection))
  }

  /** It is known whose it is. */
  known(connection: Connection): void {
    this.#release(connection)
  }

  #count(what: IncomingMessage | Connection, client: string): void {
    this.#clients.set(what, client)
    this.#counts.set(client, (this.#counts.get(client) ?? 0) + 1)
  }

  #release(what: IncomingMessage | Connection): void {
    const client = this.#clients.get(what)
    if (client === undefined) return
    this.#clients.delete(what)
    const rest = (this.#counts.get(client) ?? 1) - 1
    if (rest > 0) this.#counts.set(client, rest)
    else this.#counts.delete(client)
  }
}
