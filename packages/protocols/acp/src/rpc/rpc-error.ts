import { spellOut } from '@polylogue/engine'

/** JSON-RPC error codes that this door answers with. */
export const CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Also used for “not initialized”; `data.reason` distinguishes them. */
  notFound: -32002,
  cancelled: -32800,
} as const

export type ErrorDetails = Readonly<Record<string, unknown>>

/**
 * A JSON-RPC error, ours or the client's. `message` and `details` are sent as they are. They may contain ids, fields and
 * reasons, never other values of the client.
 */
export class RpcError extends Error {
  readonly code: number
  readonly details: ErrorDetails | undefined

  constructor(code: number, message: string, details?: ErrorDetails) {
    super(spellOut(message))
    this.name = 'RpcError'
    this.code = code
    this.details = details
  }
}

/** A request to the client was withdrawn. */
export class RequestAbandoned extends Error {}

export const invalidParams = (field: string, problem: string): RpcError =>
  new RpcError(CODES.invalidParams, `${field}: ${problem}`, { field })

export const methodNotFound = (method: string): RpcError =>
  new RpcError(CODES.methodNotFound, 'method not found', { method })
