/** JSON-RPC error codes that this door answers with. */
export const CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Also: not initialized. `data.reason` tells them apart. */
  notFound: -32002,
  cancelled: -32800,
} as const

export type ErrorDetails = Readonly<Record<string, unknown>>

/**
 * An error on the wire, ours or the client's. `message` and `details` go out as they are: they name ids, fields and
 * reasons, never other values that the client sent.
 */
export class RpcError extends Error {
  readonly code: number
  readonly details: ErrorDetails | undefined

  constructor(code: number, message: string, details?: ErrorDetails) {
    super(message)
    this.name = 'RpcError'
    this.code = code
    this.details = details
  }
}

/** A request of ours that nobody waits for any more. */
export class RequestAbandoned extends Error {}

export const invalidParams = (field: string, problem: string): RpcError =>
  new RpcError(CODES.invalidParams, `${field}: ${problem}`, { field })

export const methodNotFound = (method: string): RpcError =>
  new RpcError(CODES.methodNotFound, 'method not found', { method })
