import { AapError } from './aap-error.ts'

export interface TransportOptions {
  /** Where the protocol is mounted, such as `http://127.0.0.1:8020/aap/v3`. */
  readonly baseUrl: string
  /** Absent where `fetch` itself says who asks. */
  readonly key?: string
  readonly fetch?: Fetch
}

/** What the client needs of the global `fetch`, which is the default. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Record<string, string>
    readonly body?: string
    readonly signal?: AbortSignal
  },
) => Promise<Response>

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly body?: unknown
  readonly accept?: string
  readonly idempotencyKey?: string | undefined
  readonly signal?: AbortSignal
}

/** One HTTP request. Rejects with `AapError` unless the status is 2xx. */
export type Transport = (path: string, options?: RequestOptions) => Promise<Response>

export function createTransport({ baseUrl, key, fetch = globalThis.fetch }: TransportOptions): Transport {
  const base = baseUrl.replace(/(?<!\/)\/+$/, '')
  return async (path, { method = 'GET', body, accept, idempotencyKey, signal } = {}) => {
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (key !== undefined) headers['authorization'] = `Bearer ${key}`
    if (accept !== undefined) headers['accept'] = accept
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
    const response = await fetch(`${base}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    if (response.ok) return response
    throw await toError(response)
  }
}

async function toError(response: Response): Promise<AapError> {
  const text = await response.text()
  const { error, code } = readObject(text)
  const message = typeof error === 'string' ? error : `The server answered ${response.status}.`
  return new AapError(response.status, message, typeof code === 'string' ? code : undefined)
}

function readObject(text: string): { readonly error?: unknown; readonly code?: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
