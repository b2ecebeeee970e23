import type { z } from 'zod'

/**
 * One operation of the protocol. The route, the client's method and the documentation are all made from this, so the
 * contract imports neither the engine nor Node.
 */
export interface OperationSpec {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/api/polylogue`; parameters stand in braces. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly status: 200 | 201 | 202 | 204
  /** A value is a string; schemas coerce. */
  readonly query?: z.ZodObject
  readonly body?: z.ZodObject
  /** The largest body: `small` (64 KiB) unless stated otherwise. */
  readonly bodySize?: 'small' | 'conversation'
  /** Absent: the answer is empty. */
  readonly answer?: z.ZodType
  /** The answer can hold megabytes, or is sought in logs. A user reads only a few of these at a time. */
  readonly isLarge?: true
  /** Refusals of this operation beside the usual ones, for the documentation. */
  readonly refusals?: { readonly [status: number]: string }
}

export interface OperationTable {
  readonly [name: string]: OperationSpec
}

/** Keeps the exact types of a table, so that routes and clients can be derived from it. */
export const defineOperations = <const Table extends OperationTable>(table: Table): Table => table

export type ParamOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamOf<Rest>
  : never

export type QueryOf<Spec extends OperationSpec> = Spec extends { readonly query: infer Query extends z.ZodType }
  ? Query
  : never
export type BodyOf<Spec extends OperationSpec> = Spec extends { readonly body: infer Body extends z.ZodType }
  ? Body
  : never
export type AnswerOf<Spec extends OperationSpec> = Spec extends { readonly answer: infer Answer extends z.ZodType }
  ? Sent<z.output<Answer>>
  : void

/** What a schema describes, deeply read-only: nobody changes an answer. */
export type Sent<T> = T extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Sent<T[Key]> }
    : T
