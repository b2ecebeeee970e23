import { AapError } from './aap-error.ts'

export interface TransportOptions {
  /** Where the protocol is mounted, such as `http://127.0.0.1:8020/aap/v3`. */
  readonly baseUrl: string
  readonly key: string
  readonly fetch?: typeof fetch
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly body?: unknown
  readonly accept?: string
  readonly signal?: AbortSignal
}

/** One HTTP request. Rejects with `AapError` unless the status is 2xx. */
export type Transport = (path: string, options?: RequestOptions) => Promise<Response>

export function createTransport({ baseUrl, key, fetch = globalThis.fetch }: TransportOptions): Transport {
  const base = baseUrl.replace(/\/+$/, '')
  return async (path, { method = 'GET', body, accept, signal } = {}) => {
    const headers: Record<string, string> = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    if (accept !== undefined) headers['accept'] = accept
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
