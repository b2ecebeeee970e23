import type { IncomingMessage } from 'node:http'

export interface UnknownConnectionsOptions {
  readonly perClient: number
  /** The client that a request counts for. `undefined`: do not count it. */
  clientOf(incoming: IncomingMessage): string | undefined
  /** A connection was refused because of the limit. */
  refused(): void
}

/** A connection of Engine.IO. */
export interface Connection {
  readonly request: IncomingMessage
  once(event: 'close', run: () => void): unknown
}

/**
 * Limits the unauthenticated connections of a client. Counting TCP connections is not enough: a polling connection lives
 * without one.
 */
export class UnknownConnections {
  readonly #options: UnknownConnectionsOptions
  readonly #counts = new Map<string, number>()
  /** By client: first the admitted request, then the connection that it opened. */
  readonly #clients = new WeakMap<IncomingMessage | Connection, string>()

  constructor(options: UnknownConnectionsOptions) {
    this.#options = options
  }

  /** Whether the request may open a connection. Counts at once, because many may arrive before the first is open. */
  admit(incoming: IncomingMessage): boolean {
    const { perClient, clientOf, refused } = this.#options
    const client = clientOf(incoming)
    if (client === undefined) return true
    if ((this.#counts.get(client) ?? 0) >= perClient) {
      refused()
      return false
    }
    this.#count(incoming, client)
    // Engine.IO opens the connection at once or never, and does not report every failed handshake.
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

  /** The connection is authenticated. */
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
