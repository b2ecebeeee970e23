/** The operations of Blade's REST interface that the console uses. */
import type { Session, SessionDetail, Solution } from '@polylogue/client/blade'
import { isObject, request } from './http.ts'

export interface OfferedModel {
  readonly id: string
  readonly name: string
  /** How much it can be told to think, the least first. */
  readonly thinking: readonly string[]
}

/** Our own server answers as its types say; a broken answer is an error here and not later. */
function fieldOf<T>(answer: unknown, name: string, isRight: (value: unknown) => boolean): T {
  const value = isObject(answer) ? answer[name] : undefined
  if (!isRight(value)) throw new Error(`The server's answer has no ${name}.`)
  return value as T
}

export async function listSessions(query: { readonly q?: string; readonly limit: number; readonly offset: number }) {
  const asked = new URLSearchParams({ limit: `${query.limit}`, offset: `${query.offset}` })
  if (query.q !== undefined) asked.set('q', query.q)
  const answer = await request('GET', `/api/sessions?${asked}`)
  return {
    items: fieldOf<readonly Session[]>(answer, 'items', Array.isArray),
    total: fieldOf<number>(answer, 'total', Number.isInteger),
  }
}

export async function readSession(id: string): Promise<SessionDetail> {
  const answer = await request('GET', `/api/sessions/${encodeURIComponent(id)}`)
  fieldOf<string>(answer, 'id', (value) => value === id)
  return answer as SessionDetail
}

export interface NewSession {
  readonly agent?: string
  readonly model?: string
  readonly thinking?: string
}

export async function createSession({ agent, ...choices }: NewSession): Promise<string> {
  const body = { ...(agent !== undefined && { solution_id: agent }), ...choices }
  return fieldOf<string>(await request('POST', '/api/sessions', body), 'session_id', (id) => typeof id === 'string')
}

export const renameSession = (id: string, title: string): Promise<unknown> =>
  request('PATCH', `/api/sessions/${id}`, { intent: title })
export const pinSession = (id: string, pinned: boolean): Promise<unknown> =>
  request('PATCH', `/api/sessions/${id}/pin`, { pinned })
export const shareSession = (id: string, shared: boolean): Promise<unknown> =>
  request('PATCH', `/api/sessions/${id}/sharing`, { shared })
export const deleteSession = (id: string): Promise<unknown> => request('DELETE', `/api/sessions/${id}`)

export async function listAgents(): Promise<readonly Solution[]> {
  return fieldOf(await request('GET', '/api/solutions'), 'items', Array.isArray)
}

export async function listModels(): Promise<{ readonly own: string; readonly models: readonly OfferedModel[] }> {
  const answer = await request('GET', '/api/config/models')
  return {
    own: fieldOf(answer, 'default', (name) => typeof name === 'string'),
    models: fieldOf(answer, 'models', Array.isArray),
  }
}
