import { parseShape } from '@polylogue/kit'
import { z } from 'zod'
import { describeIssue } from '../schema/describe-issue.ts'
import type { Sent } from '../schema/fields.ts'
import type { LongPage } from './answer-list.ts'
import type { Caller } from './deps.ts'
import { Refusal, type RefusalStatus } from './refusal.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Refusals besides those that every operation may give. */
export type Refusals = { readonly [status in RefusalStatus]?: string }

interface Described {
  readonly method: Method
  /** Its name in generated clients; a verb and a noun. */
  readonly name: string
  readonly tag: string
  readonly summary: string
  readonly refusals?: Refusals
}

/**
 * One operation of the API. Its route, its checks and its documentation come from this object. `path` begins with `/api`,
 * has no trailing slash, and has its parameters in braces.
 */
export interface Operation extends DescribedOperation {
  run(given: Given): Promise<unknown>
}

/** An operation in the documentation. Other protocols use the same type. */
export interface DescribedOperation extends Described {
  readonly path: string
  /** Needs no key. */
  readonly isOpen: boolean
  readonly status: 200 | 201 | 202 | 204
  readonly query: z.ZodObject | undefined
  readonly body: z.ZodObject | undefined
  /** Absent: the answer is empty, or a file. */
  readonly answer: z.ZodType | undefined
  /** The answer is a `FileAnswer`, the bytes of a file. */
  readonly isFile: boolean
  /** The answer is an asynchronous iterable of the items of a list, or a `LongPage`, and is sent in pieces. */
  readonly isLong?: boolean
  /** The events of the answer, if it is a stream. */
  readonly events?: z.ZodType
  /** The shape of refusals, if it is not Blade's `detail` and 422. */
  readonly failure?: { readonly body: z.ZodType; readonly wrongRequest: 400 }
}

/** A request before any check. */
export interface Given {
  readonly caller: Caller | undefined
  readonly params: { readonly [name: string]: string | undefined }
  readonly query: unknown
  readonly body: unknown
}

/** An authenticated request, parsed by the operation's schemas. */
export interface Exchange<Path extends string, Query, Body> {
  readonly caller: Caller
  param(name: ParamOf<Path>): string
  readonly query: Query
  readonly body: Body
}

type ParamOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamOf<Rest> : never

interface OperationSpec<
  Path extends string,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Answer extends z.ZodType,
> extends Described {
  readonly path: Path
  /** Default: 200. */
  readonly status?: 201
  readonly query?: Query
  readonly body?: Body
  /** Absent: 204, and the answer is empty. */
  readonly answer?: Answer
  run(exchange: Exchange<Path, z.output<Query>, z.output<Body>>): Promise<Sent<Answer>>
}

type Nothing = z.ZodObject<Record<never, never>>

export function operation<
  Path extends string,
  Query extends z.ZodObject = Nothing,
  Body extends z.ZodObject = Nothing,
  Answer extends z.ZodType = z.ZodVoid,
>(spec: OperationSpec<Path, Query, Body, Answer>): Operation {
  const { query, body, answer, run, ...described } = spec
  return {
    ...described,
    isOpen: false,
    status: answer === undefined ? 204 : (spec.status ?? 200),
    query,
    body,
    answer,
    isFile: false,
    async run({ caller, params, ...given }) {
      if (caller === undefined) throw new Refusal(401, 'Unauthorized')
      const param = (name: ParamOf<Path>): string => params[name] ?? ''
      return run({
        caller,
        param,
        query: parse(query ?? NOTHING, given.query, 'query') as z.output<Query>,
        body: parse(body ?? NOTHING, given.body, 'body') as z.output<Body>,
      })
    },
  }
}

const NOTHING: Nothing = z.object({})

/** For a list that may be too long for memory. `answer` describes the whole list. */
export function listOperation<Path extends string, Item extends z.ZodType>(
  spec: Described & {
    readonly path: Path
    readonly answer: z.ZodArray<Item>
    run(exchange: Exchange<Path, object, object>): Promise<AsyncIterable<object>>
  },
): Operation {
  const { run, answer, ...described } = spec
  return { ...operation({ ...described, answer: z.custom<AsyncIterable<object>>(), run }), answer, isLong: true }
}

/** For a page of a list whose items may be too large for one string. `answer` describes the whole page. */
export function pageOperation<
  Path extends string,
  Query extends z.ZodObject,
  Item extends z.ZodType,
  Rest extends z.ZodRawShape,
>(
  spec: Described & {
    readonly path: Path
    readonly query: Query
    readonly items: z.ZodArray<Item>
    readonly rest: z.ZodObject<Rest>
    run(exchange: Exchange<Path, z.output<Query>, object>): Promise<{
      readonly items: AsyncIterable<Sent<Item>>
      readonly rest: Sent<z.ZodObject<Rest>>
    }>
  },
): Operation {
  const { run, items, rest, ...described } = spec
  return {
    ...operation({ ...described, answer: z.custom<LongPage>(), run }),
    answer: z.object({ items, ...rest.shape }),
    isLong: true,
  }
}

export interface FileAnswer {
  readonly bytes: Uint8Array
  /** The file name that the uploading client gave. */
  readonly mediaType?: string
  readonly name?: string
}

/** For an answer that is not JSON. */
export function fileOperation<Path extends string>(
  spec: Described & { readonly path: Path; run(exchange: Exchange<Path, object, object>): Promise<FileAnswer> },
): Operation {
  const { run, ...described } = spec
  return { ...operation({ ...described, answer: z.custom<FileAnswer>(), run }), answer: undefined, isFile: true }
}

/** For public operations. */
export function openOperation<Answer extends z.ZodType>(
  spec: Described & { readonly path: string; readonly answer: Answer; run(): Sent<Answer> },
): Operation {
  const { run, ...described } = spec
  return {
    ...described,
    isOpen: true,
    status: 200,
    query: undefined,
    body: undefined,
    isFile: false,
    run: async () => run(),
  }
}

function parse(schema: z.ZodObject, given: unknown, whole: string): unknown {
  const result = parseShape(schema, withoutNulls(schema, given))
  if (result.success) return result.data
  throw new Refusal(422, describeIssue(result.error.issues[0], whole))
}

/** `null` means "not given", except in a field that can be cleared. */
function withoutNulls({ shape }: z.ZodObject, given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  // Every object inherits names like `constructor`. They are not fields of the schema.
  const isNullable = (name: string): boolean =>
    Object.hasOwn(shape, name) && z.safeParse(shape[name] ?? z.never(), null).success
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => value !== null || isNullable(name)))
}
