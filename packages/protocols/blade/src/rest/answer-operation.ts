import type { HttpBindings } from '@hono/node-server'
import { BodyRefused, readJsonBody } from '@polylogue/kit'
import type { Context } from 'hono'
import type { BladeRestDeps, Caller } from './deps.ts'
import { answerFile } from './answer-file.ts'
import { answerList, type LongPage } from './answer-list.ts'
import type { FileAnswer, Operation } from './operation.ts'
import { Refusal, toRefusal } from './refusal.ts'

export interface NodeEnv {
  Bindings: HttpBindings
}

export type Answering = Pick<BladeRestDeps, 'authenticate' | 'report' | 'bodies' | 'clock' | 'reads'>

/** Checks the key first. Every error becomes a status and a `detail`. */
export function answerOperation(operation: Operation, deps: Answering) {
  return async (c: Context<NodeEnv>): Promise<Response> => {
    try {
      const caller = operation.isOpen ? undefined : await requireCaller(c, deps)
      const query = withoutBlanks(c.req.query())
      const body = operation.body === undefined ? {} : await readBody(c, deps)
      // The key may be revoked before the body arrives.
      if (caller?.revoked.aborted === true) throw new Refusal(401, 'Unauthorized')
      const isLarge = operation.isFile || operation.isLong === true
      const run = (): Promise<unknown> => operation.run({ caller, params: c.req.param(), query, body })
      const hold = isLarge && caller !== undefined ? await deps.reads.enter(caller.userId, c.env.outgoing) : undefined
      const answer = hold === undefined ? await run() : await hold(run)
      if (operation.isFile) return answerFile(c, answer as FileAnswer)
      if (operation.isLong === true)
        return await answerList(c.env.outgoing, answer as AsyncIterable<object> | LongPage, deps.clock)
      return operation.status === 204 ? c.body(null, 204) : c.json(answer, operation.status)
    } catch (error) {
      return answerError(c, error, deps)
    }
  }
}

export async function requireCaller(c: Context<NodeEnv>, deps: Pick<Answering, 'authenticate'>): Promise<Caller> {
  const outcome = await deps.authenticate(c.env.incoming)
  if (outcome.type === 'caller') return outcome.caller
  throw new Refusal(outcome.status, outcome.error, { retryAfterS: outcome.retryAfterS })
}

export function answerError(c: Context<NodeEnv>, error: unknown, deps: Pick<Answering, 'report'>): Response {
  const refusal = toRefusal(error)
  if (refusal === undefined) {
    const errorId = deps.report(error, c.env.incoming)
    return c.json({ detail: `Internal error. Its id in the log is ${errorId}.` }, 500)
  }
  const headers: Record<string, string> = {}
  if (refusal.status === 401) headers['WWW-Authenticate'] = 'Bearer'
  if (refusal.retryAfterS !== undefined) headers['Retry-After'] = String(refusal.retryAfterS)
  return c.json({ detail: refusal.message }, refusal.status, headers)
}

/** A request without a body counts as an empty object, unless it says that it sends JSON. */
async function readBody(c: Context<NodeEnv>, { bodies }: Answering): Promise<unknown> {
  const { incoming } = c.env
  const { 'content-length': length, 'transfer-encoding': encoding, 'content-type': type = '' } = incoming.headers
  const isJson = /^application\/json\b/i.test(type)
  const isEmpty = encoding === undefined && Number(length ?? 0) === 0
  if (isEmpty && !isJson) return {}
  if (!isJson) throw new Refusal(415, 'Send application/json.')
  try {
    return await readJsonBody(incoming, bodies)
  } catch (error) {
    if (!(error instanceof BodyRefused)) throw error
    throw new Refusal(error.status === 400 ? 422 : error.status, error.message)
  }
}

/** An empty query parameter counts as absent. */
function withoutBlanks(query: { readonly [name: string]: string }): unknown {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))
}
