/** Carries one request to the server. Rejects when there was no answer. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With the query, such as `/api/polylogue/sessions?limit=20`. */
  readonly path: string
  /** A JSON value. Absent: the request has no body. */
  readonly body?: unknown
  readonly signal?: AbortSignal
}

export interface TransportResponse {
  readonly status: number
  text(): Promise<string>
}

export interface FetchTransportOptions {
  /** Such as `http://127.0.0.1:8020`. Empty: the origin of the page, whose cookie signs the requests in. */
  readonly url?: string
  readonly key?: string
  readonly fetch?: typeof fetch
}

/** For browsers and for programs with a key. */
export function createFetchTransport(options: FetchTransportOptions = {}): Transport {
  const { url = '', key, fetch: send = fetch } = options
  return ({ method, path, body, signal }) =>
    send(`${url.replace(/(?<!\/)\/+$/, '')}${path}`, {
      method,
      credentials: 'same-origin',
      headers: {
        // A cookie is accepted for JSON only, so that no form of another site can use it.
        'content-type': 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
}
