import { type Answer, exchangeJson } from '../support/http-exchange.ts'

/** What this wire says, as far as tests of several doors look at it. */
export interface WireSession {
  readonly id: string
  readonly intent: string
  readonly status: string
  readonly user_id: string
  readonly solution_id: string
  readonly viewer_role: string
  readonly detail?: string
}

export interface WireTurn {
  readonly sequence: number
  readonly role: string
  readonly status: string
  readonly blocks: readonly { readonly type: string; readonly content: unknown }[]
  readonly memory_refs: readonly { readonly id: number; readonly content_preview: string }[] | null
}

export interface RestClient {
  send<Body>(method: string, path: string, body?: unknown): Promise<Answer<Body>>
  create(body?: object): Promise<string>
  session(id: string): Promise<WireSession>
  messages(id: string): Promise<readonly WireTurn[]>
}

export function createRestClient({ url, key }: { readonly url: string; readonly key?: string }): RestClient {
  const send = <Body>(method: string, path: string, body?: unknown): Promise<Answer<Body>> =>
    exchangeJson<Body>({
      method,
      url: `${url}/api${path}`,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body,
    })
  return {
    send,
    create: async (body = {}) => (await send<{ session_id: string }>('POST', '/sessions', body)).body.session_id,
    session: async (id) => (await send<WireSession>('GET', `/sessions/${id}`)).body,
    messages: async (id) => (await send<readonly WireTurn[]>('GET', `/sessions/${id}/messages`)).body,
  }
}
