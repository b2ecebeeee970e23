import type { Session, SessionDetail, TurnProjection } from '../wire.ts'

export interface BladeApiOptions {
  /** Such as `http://127.0.0.1:8020`. Empty or absent in a browser: the origin of the page. */
  readonly url?: string
  /** Absent in a browser whose cookie signs it in. */
  readonly token?: string
  readonly fetch?: typeof fetch
}

/** Unknown fields are ignored by the server. */
export interface NewBladeSession {
  readonly intent?: string
  /** The agent. Default: the server's default agent. */
  readonly solution_id?: string
  readonly biz_role_id?: string
  readonly model?: string
  /** How much the model thinks: one of its levels, or `default`. */
  readonly thinking?: string
  readonly memory_enabled?: boolean
  readonly is_persistent?: boolean
  readonly disable_tools?: readonly string[]
}

export type BladeSessionChange = Pick<NewBladeSession, 'intent' | 'model' | 'thinking'>

export interface SessionQuery {
  readonly q?: string
  readonly limit?: number
  readonly offset?: number
}

export interface SessionList {
  readonly items: readonly Session[]
  readonly total: number
}

/** The server refused a request of the REST API. */
export class BladeRefusal extends Error {
  override readonly name = 'BladeRefusal'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The sessions of Blade's REST API. Every method rejects with `BladeRefusal` unless the status is 2xx. */
export interface BladeApi {
  createSession(session?: NewBladeSession, signal?: AbortSignal): Promise<string>
  sessions(query?: SessionQuery, signal?: AbortSignal): Promise<SessionList>
  session(sessionId: string, signal?: AbortSignal): Promise<SessionDetail>
  /** Every turn of the session, in order. */
  messages(sessionId: string, signal?: AbortSignal): Promise<readonly TurnProjection[]>
  renameSession(sessionId: string, intent: string, signal?: AbortSignal): Promise<SessionDetail>
  /** The model and its thinking change from the next turn on. */
  changeSession(sessionId: string, change: BladeSessionChange, signal?: AbortSignal): Promise<SessionDetail>
  deleteSession(sessionId: string, signal?: AbortSignal): Promise<void>
}

export function createBladeApi({ url = '', token, fetch: send = fetch }: BladeApiOptions = {}): BladeApi {
  const base = `${url.replace(/(?<!\/)\/+$/, '')}/api/sessions`
  const ask = async <Answer>(method: string, path: string, { body, signal }: Request = {}): Promise<Answer> => {
    const response = await send(`${base}${path}`, {
      method,
      credentials: 'same-origin',
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    const text = await response.text()
    if (!response.ok)
      throw new BladeRefusal(response.status, detailOf(text) ?? `The server answered ${response.status}.`)
    // The protocol's own shapes; readers ignore what they do not know.
    return JSON.parse(text) as Answer
  }
  const at = (sessionId: string): string => `/${encodeURIComponent(sessionId)}`
  return {
    createSession: async (session = {}, signal) =>
      (await ask<{ session_id: string }>('POST', '', { body: session, signal })).session_id,
    sessions: (query = {}, signal) => ask('GET', toQuery(query), { signal }),
    session: (sessionId, signal) => ask('GET', at(sessionId), { signal }),
    messages: (sessionId, signal) => ask('GET', `${at(sessionId)}/messages`, { signal }),
    renameSession: (sessionId, intent, signal) => ask('PATCH', at(sessionId), { body: { intent }, signal }),
    changeSession: (sessionId, change, signal) => ask('PATCH', at(sessionId), { body: change, signal }),
    async deleteSession(sessionId, signal) {
      await ask('DELETE', at(sessionId), { signal })
    },
  }
}

interface Request {
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

function toQuery(query: SessionQuery): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  return parameters.size === 0 ? '' : `?${parameters.toString()}`
}

function detailOf(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const detail = typeof value === 'object' && value !== null && 'detail' in value ? value.detail : undefined
    return typeof detail === 'string' ? detail : undefined
  } catch {
    return undefined
  }
}
