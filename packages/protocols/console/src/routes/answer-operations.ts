import type { HttpBindings } from '@hono/node-server'
import { BodyRefused, parseShape, readJsonBody } from '@polylogue/kit'
import { Hono, type Context } from 'hono'
import type { z } from 'zod'
import type { AnswerOf, BodyOf, OperationSpec, OperationTable, ParamOf, QueryOf } from '../contract/operation.ts'
import type { Caller, RequestDeps } from './deps.ts'
import { Refusal } from './refusal.ts'
import { StreamedAnswer } from './streamed-answer.ts'

export interface NodeEnv {
  Bindings: HttpBindings
}

/** A request of somebody we know, in the shapes that its operation asks for. */
export interface Exchange<Spec extends OperationSpec> {
  readonly caller: Caller
  readonly params: { readonly [Name in ParamOf<Spec['path']>]: string }
  readonly query: Parsed<QueryOf<Spec>>
  readonly body: Parsed<BodyOf<Spec>>
}

type Parsed<Schema extends z.ZodType> = [Schema] extends [never] ? undefined : z.output<Schema>

/** One function per operation of a table. Throws a `Refusal`, or an `EngineError` for the server to answer. */
export type Answers<Table extends OperationTable> = {
  readonly [Name in keyof Table]: (
    exchange: Exchange<Table[Name]>,
  ) => Promise<AnswerOf<Table[Name]> | StreamedAnswer<keyof AnswerOf<Table[Name]> & string>>
}

export function answerOperations<Table extends OperationTable>(
  table: Table,
  answers: Answers<Table>,
  deps: RequestDeps,
): Hono<NodeEnv> {
  const routes = new Hono<NodeEnv>()
  for (const [name, spec] of Object.entries(table)) {
    // `Answers` has exactly one function per operation, which takes what the schemas of that operation give.
    const answer = answers[name] as (exchange: unknown) => Promise<unknown>
    routes.on(spec.method, spec.path.replace(/\{(\w+)\}/g, ':$1'), (c) => answerOne(c, { spec, answer, deps }))
  }
  return routes
}

interface Route {
  readonly spec: OperationSpec
  readonly answer: (exchange: unknown) => Promise<unknown>
  readonly deps: RequestDeps
}

async function answerOne(c: Context<NodeEnv>, { spec, answer, deps }: Route): Promise<Response> {
  try {
    const caller = await requireCaller(c, deps)
    const query = spec.query && parse(spec.query, c.req.query(), 'query')
    const body = spec.body && parse(spec.body, await readBody(c, spec, deps), 'body')
    // A body can arrive long after its head was let in.
    if (caller.revoked.aborted) throw new Refusal(401, 'Unauthorized')
    const exchange = { caller, params: c.req.param(), query, body }
    const hold = spec.isLarge === true ? await deps.reads.enter(caller.userId, c.env.outgoing) : undefined
    const answered = hold === undefined ? await answer(exchange) : await hold(() => answer(exchange))
    if (answered instanceof StreamedAnswer) return await answered.send(c.env.outgoing, deps.clock)
    return spec.status === 204 ? c.body(null, 204) : c.json(answered ?? {}, spec.status)
  } catch (error) {
    if (error instanceof Refusal) return answerRefusal(c, error)
    throw error
  }
}

/** Throws a `Refusal` for somebody who shows no key and no sign-in. */
export async function requireCaller(
  c: Context<NodeEnv>,
  { authenticate }: Pick<RequestDeps, 'authenticate'>,
): Promise<Caller> {
  const outcome = await authenticate(c.env.incoming)
  if (outcome.type === 'caller') return outcome.caller
  throw new Refusal(outcome.status, outcome.error, outcome.retryAfterS)
}

async function readBody(c: Context<NodeEnv>, spec: OperationSpec, deps: RequestDeps): Promise<unknown> {
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? '')) {
    throw new Refusal(415, 'Send application/json.')
  }
  try {
    return await readJsonBody(c.env.incoming, deps.bodyLimits[spec.bodySize ?? 'small'])
  } catch (error) {
    if (error instanceof BodyRefused) throw new Refusal(error.status, error.message)
    throw error
  }
}

export function answerRefusal(c: Context<NodeEnv>, { status, message, retryAfterS }: Refusal): Response {
  const headers: Record<string, string> = {}
  if (status === 401) headers['WWW-Authenticate'] = 'Bearer'
  if (retryAfterS !== undefined) headers['Retry-After'] = String(retryAfterS)
  return c.json({ error: message }, status, headers)
}

// Field names are the client's own words. A huge one must not come back as a huge answer.
const LONGEST_FIELD = 200

function parse(schema: z.ZodType, given: unknown, whole: 'query' | 'body'): unknown {
  const result = parseShape(schema, given)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const path = issue?.path ?? []
  // A client knows a query parameter as one text, even where the schema splits it.
  const field = (whole === 'query' ? path.slice(0, 1) : path).map(String).join('.').slice(0, LONGEST_FIELD)
  const problem = (issue?.message ?? 'is wrong').replace(/^Invalid input: /, '')
  throw new Refusal(400, `${field === '' ? whole : field}: ${problem}`)
}
