/** Carries requests of the client to a server that speaks AAP version 3. */
export interface TurnTransport {
  /** Rejects when there was no answer. */
  request(request: TurnRequest): Promise<TurnResponse>
  /** Called after a connection was lost and before the next request. Rejects when there is no server. */
  reconnect(): Promise<void>
}

export interface TurnRequest {
  readonly method: 'GET' | 'POST'
  /** Such as `/aap/v3/sessions/…/turns`. */
  readonly path: string
  /** A JSON value. */
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** The body is read once, in one of two ways. */
export interface TurnResponse {
  readonly status: number
  text(): Promise<string>
  /** As it arrives. Rejects when the connection breaks. */
  chunks(): AsyncIterable<string>
}

/** The server refused a request. `message` is its sentence. */
export class TurnRefusal extends Error {
  override readonly name = 'TurnRefusal'
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** The connection was lost too often. The turn may still run on the server. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}
