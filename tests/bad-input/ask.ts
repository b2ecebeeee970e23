import { text } from 'node:stream/consumers'
import { beginExchange } from '../support/http-exchange.ts'

export interface Target {
  readonly url: string
  readonly key: string
}

export interface Answered {
  readonly status: number
  readonly text: string
  /** `undefined` when there is none, or none that is JSON. */
  readonly body: unknown
  readonly ms: number
}

export interface Question {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/**
 * Long enough for a machine that is busy with other things: whether an answer came in time is for the probe to judge,
 * which knows how long others kept the server from working.
 */
const GIVE_UP_MS = 60_000

/** A valid request on a connection of its own. Rejects when nobody has answered by then. */
export async function ask({ url, key }: Target, question: Question): Promise<Answered> {
  const { method, path, body } = question
  const startedAt = performance.now()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await beginExchange({ method, url: url + path, headers, body }, AbortSignal.timeout(GIVE_UP_MS))
  const received = await text(response)
  return { status: response.statusCode ?? 0, text: received, body: parse(received), ms: performance.now() - startedAt }
}

function parse(received: string): unknown {
  try {
    return JSON.parse(received)
  } catch {
    return undefined
  }
}

/** A field of an answer that must be a text. */
export function textField(body: unknown, name: string): string {
  const value =
    typeof body === 'object' && body !== null ? Object.entries(body).find(([key]) => key === name)?.[1] : undefined
  if (typeof value === 'string') return value
  throw new Error(`the answer has no ${name}: ${JSON.stringify(body)?.slice(0, 200)}`)
}
