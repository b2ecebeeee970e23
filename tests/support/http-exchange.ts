// A plain HTTP client over node:http. Tests send and see exactly what goes over the socket: no retries, no decoding, no
// headers besides Host.
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Exchange {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** A string is sent as it is, any other value as JSON. */
  readonly body?: unknown
}

/** `body` is the parsed JSON. `undefined`: the body was empty or not JSON. */
export interface Answer<Body = unknown> {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: Body
}

/** A response with unread body. Aborting `signal` resets the connection. */
export function beginExchange(exchange: Exchange, signal?: AbortSignal): Promise<IncomingMessage> {
  const payload = payloadOf(exchange.body)
  return new Promise((resolve, reject) => {
    const outgoing = request(exchange.url, {
      method: exchange.method,
      headers: {
        ...exchange.headers,
        ...(payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) }),
      },
      agent: false,
      ...(signal ? { signal } : {}),
    })
    outgoing.on('response', resolve)
    outgoing.on('error', reject)
    outgoing.end(payload)
  })
}

export async function exchangeText(exchange: Exchange): Promise<Answer<undefined>> {
  const response = await beginExchange(exchange)
  const received = await text(response)
  return { status: response.statusCode ?? 0, headers: response.headers, text: received, body: undefined }
}

/** The caller states the expected shape. Its assertions check it. */
export async function exchangeJson<Body>(exchange: Exchange): Promise<Answer<Body>> {
  const answer = await exchangeText(exchange)
  const isJson = /^application\/json\b/.test(answer.headers['content-type'] ?? '')
  return { ...answer, body: (isJson ? JSON.parse(answer.text) : undefined) as Body }
}

function payloadOf(body: unknown): string | undefined {
  if (body === undefined || typeof body === 'string') return body
  return JSON.stringify(body)
}
