import type { Dialect } from './aap-dialect.ts'
import type { HistoryMessage, Meta, Refusal, SessionInfo, SessionList, TurnAnswer } from './aap-wire.ts'
import { type Answer, type Exchange, exchangeJson } from './http-exchange.ts'
import { type SseStream, openSseStream } from './sse-stream.ts'

/** One call per endpoint. It does not check the status: the tests do. */
export interface AapClient {
  readonly dialect: Dialect
  readonly url: string
  readonly key: string
  /** For other requests. `path` is relative to the dialect's base. */
  exchange(method: string, path: string, changes?: Pick<Exchange, 'body' | 'headers'>): Exchange
  send<Body>(method: string, path: string, changes?: Pick<Exchange, 'body' | 'headers'>): Promise<Answer<Body>>
  meta(): Promise<Answer<Meta>>
  list(after?: string): Promise<Answer<SessionList & Refusal>>
  create(body: unknown): Promise<Answer<TurnAnswer & Refusal & { readonly sessionId: string }>>
  get(id: string): Promise<Answer<SessionInfo & Refusal>>
  remove(id: string): Promise<Answer<Refusal | undefined>>
  turn(id: string, body: unknown, headers?: Exchange['headers']): Promise<Answer<TurnAnswer & Refusal>>
  streamTurn(id: string, body: unknown, headers?: Exchange['headers']): Promise<SseStream>
  streamCreate(body: unknown): Promise<SseStream>
  history(id: string, type: 'full' | 'compacted'): Promise<readonly HistoryMessage[]>
  /** An extension of the protocol. */
  events(id: string, query?: string): Promise<SseStream>
  /** An extension of the protocol. */
  cancel(id: string): Promise<Answer<unknown>>
}

interface HistoryHolder {
  readonly history?: Readonly<Record<string, readonly HistoryMessage[]>>
}

export function createAapClient(options: {
  readonly url: string
  readonly key: string
  readonly dialect: Dialect
}): AapClient {
  const { url, key, dialect } = options

  function exchange(method: string, path: string, changes: Pick<Exchange, 'body' | 'headers'> = {}): Exchange {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...changes.headers }
    return { method, url: `${url}${dialect.base}${path}`, body: changes.body, headers }
  }

  function send<Body>(method: string, path: string, changes?: Pick<Exchange, 'body' | 'headers'>) {
    return exchangeJson<Body>(exchange(method, path, changes))
  }

  function openStream(method: string, path: string, changes: Pick<Exchange, 'body' | 'headers'>) {
    const headers = { accept: 'text/event-stream', ...changes.headers }
    return openSseStream(exchange(method, path, { ...changes, headers }))
  }

  return {
    dialect,
    url,
    key,
    exchange,
    send,
    meta: () => send('GET', '/meta'),
    list: (after) => send('GET', after === undefined ? '/sessions' : `/sessions?after=${encodeURIComponent(after)}`),
    create: (body) => send(dialect.create.method, dialect.create.path, { body }),
    get: (id) => send('GET', dialect.session(id)),
    remove: (id) => send('DELETE', dialect.session(id)),
    turn: (id, body, headers) => send('POST', dialect.turns(id), { body, ...(headers ? { headers } : {}) }),
    streamTurn: (id, body, headers) => openStream('POST', dialect.turns(id), { body, ...(headers ? { headers } : {}) }),
    streamCreate: (body) => openStream(dialect.create.method, dialect.create.path, { body }),
    async history(id, type) {
      const answer = await send<HistoryHolder>('GET', dialect.history(id, type))
      const messages = answer.body?.history?.[type]
      if (answer.status !== 200 || !messages) throw new Error(`no ${type} history: ${answer.status} ${answer.text}`)
      return messages
    },
    events: (id, query = '') => openStream('GET', `${dialect.session(id)}/events${query}`, {}),
    cancel: (id) => send('POST', `${dialect.session(id)}/cancel`),
  }
}
