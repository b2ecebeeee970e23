import { once } from 'node:events'
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** A plain client: it sends what a test says, and adds nothing but a Host line where there is none. */
export interface Exchange {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A string goes out as it is, anything else as JSON. */
  readonly body?: unknown
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** `undefined` when the answer was not JSON. */
  readonly body: unknown
}

export async function exchange(url: string, options: Exchange = {}): Promise<Answer> {
  const response = await beginExchange(url, options)
  const received = await text(response)
  const isJson = response.headers['content-type']?.startsWith('application/json') === true
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: received,
    body: isJson && received !== '' ? JSON.parse(received) : undefined,
  }
}

export async function beginExchange(url: string, { method, headers, body }: Exchange = {}): Promise<IncomingMessage> {
  const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const json = payload === undefined || typeof body === 'string' ? {} : { 'content-type': 'application/json' }
  const outgoing = request(url, {
    method: method ?? (payload === undefined ? 'GET' : 'POST'),
    headers: { ...json, ...headers },
    agent: false,
  })
  outgoing.end(payload)
  const [response] = await once(outgoing, 'response')
  outgoing.on('error', () => undefined)
  return response as IncomingMessage
}

/** Sends these bytes and returns all that comes back until the server closes. */
export async function exchangeRaw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => undefined)
  socket.write(bytes)
  return text(socket)
}
