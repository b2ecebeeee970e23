import type { z } from 'zod'
import { refusalBody } from '../contract/fields.ts'
import { ownerOperations } from '../contract/import-session.ts'
import type { AnswerOf, BodyOf, OperationSpec, OperationTable, ParamOf, QueryOf, Sent } from '../contract/operation.ts'
import { operations, type Operations } from '../contract/operations.ts'
import { BASE_PATH } from '../light/base-path.ts'
import { ConsoleRefusal } from './console-refusal.ts'
import type { Transport } from './transport.ts'

/** Parameters of the path by name, beside `query`, `body` and `signal`. */
export type RequestOf<Spec extends OperationSpec> = { readonly [Name in ParamOf<Spec['path']>]: string } & Part<
  'query',
  QueryOf<Spec>
> &
  Part<'body', BodyOf<Spec>> & { readonly signal?: AbortSignal }

/** Optional where nothing in it is required. */
type Part<Name extends string, Schema extends z.ZodType> = [Schema] extends [never]
  ? unknown
  : Record<never, never> extends z.input<Schema>
    ? { readonly [Key in Name]?: Sent<z.input<Schema>> }
    : { readonly [Key in Name]: Sent<z.input<Schema>> }

/** One method per operation. Rejects with a `ConsoleRefusal`, or with the transport's error when there is no answer. */
export type ClientOf<Table extends OperationTable> = {
  readonly [Name in keyof Table]: Record<never, never> extends RequestOf<Table[Name]>
    ? (request?: RequestOf<Table[Name]>) => Promise<AnswerOf<Table[Name]>>
    : (request: RequestOf<Table[Name]>) => Promise<AnswerOf<Table[Name]>>
}

export type ConsoleClient = ClientOf<Operations>
export type OwnerClient = ConsoleClient & ClientOf<typeof ownerOperations>

export const createConsoleClient = (transport: Transport): ConsoleClient => createClient(operations, transport)

/** For programs that reach the owner socket of the data directory. */
export const createOwnerClient = (transport: Transport): OwnerClient =>
  createClient({ ...operations, ...ownerOperations }, transport)

/** A request as every method takes it. */
interface AnyRequest {
  readonly [name: string]: unknown
  readonly query?: object
  readonly body?: unknown
  readonly signal?: AbortSignal
}

function createClient<Table extends OperationTable>(table: Table, transport: Transport): ClientOf<Table> {
  const methods = Object.entries(table).map(([name, spec]) => [
    name,
    (request: AnyRequest = {}) => send(spec, request, transport),
  ])
  // The table has one specification per method, and `send` parses the answer with the schema of that specification.
  return Object.fromEntries(methods) as ClientOf<Table>
}

async function send(spec: OperationSpec, request: AnyRequest, transport: Transport): Promise<unknown> {
  const { method } = spec
  const path = toPath(spec, request)
  const response = await transport({
    method,
    path,
    // Every operation that takes a body takes an empty object, unless something in it is required.
    ...(spec.body !== undefined && { body: request.body ?? {} }),
    ...(request.signal && { signal: request.signal }),
  })
  const text = await response.text()
  if (response.status >= 400) throw toRefusal(response.status, text)
  if (spec.answer === undefined) return undefined
  const answer = spec.answer.safeParse(parseJson(text))
  if (answer.success) return answer.data
  throw new ConsoleRefusal(`The server's answer to ${method} ${path} does not follow the protocol.`, response)
}

function toPath({ path }: OperationSpec, request: AnyRequest): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(request[name])))
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) query.set(name, String(value))
  }
  return `${BASE_PATH}${filled}${query.size === 0 ? '' : `?${query.toString()}`}`
}

function toRefusal(status: number, text: string): ConsoleRefusal {
  const body = refusalBody.safeParse(parseJson(text))
  if (!body.success) return new ConsoleRefusal(`The server answered ${status}.`, { status })
  return new ConsoleRefusal(body.data.error, { status, code: body.data.code })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
