import { EngineError, StorageFault, unreachable, type EngineErrorCode, type LogEntry } from '@polylogue/engine'
import type { AcpProfile } from './deps.ts'
import { CODES, RpcError, type ErrorDetails } from './rpc/rpc-error.ts'

/** In profile seed, −32002 only means “not initialized”. */
export const sessionNotFound = (sessionId: string, profile: AcpProfile): RpcError =>
  new RpcError(profile === 'seed' ? CODES.invalidParams : CODES.notFound, 'unknown sessionId', {
    sessionId,
    reason: 'session_not_found',
  })

export const notInitialized = (): RpcError =>
  new RpcError(CODES.notFound, 'server not initialized: call initialize first', { reason: 'not_initialized' })

export const invalidRequest = (message: string, reason: string, details?: ErrorDetails): RpcError =>
  new RpcError(CODES.invalidRequest, message, { reason, ...details })

export interface ErrorContext {
  readonly profile: AcpProfile
  readonly method: string
  /** The session that the request names, if any. */
  readonly sessionId?: string
  log(entry: LogEntry): void
}

/** Sends a refusal unchanged. Logs a bug and sends a safe sentence instead. */
export function toRpcError(error: unknown, context: ErrorContext): RpcError {
  if (error instanceof RpcError) return error
  if (error instanceof EngineError) return fromRefusal(error, context)
  if (error instanceof StorageFault) {
    return internal('the server cannot store anything at the moment', `storage-${error.kind}`)
  }
  context.log({ level: 'error', message: 'a request failed', method: context.method, error })
  return internal('internal error', 'internal')
}

const internal = (message: string, reason: string): RpcError => new RpcError(CODES.internal, message, { reason })

function fromRefusal({ code, message, field }: EngineError, { profile, sessionId }: ErrorContext): RpcError {
  if (code === 'session-not-found') return sessionNotFound(sessionId ?? '', profile)
  return new RpcError(toCode(code), message, {
    reason: code.replaceAll('-', '_'),
    ...(field !== undefined && { field }),
  })
}

function toCode(code: EngineErrorCode): number {
  switch (code) {
    case 'session-not-found':
      return CODES.notFound
    case 'session-busy':
    case 'queue-full':
    case 'nothing-to-compact':
    case 'call-already-settled':
    case 'receipt-mismatch':
    case 'too-many-turns':
    case 'too-many-reads':
    case 'quota-exceeded':
    case 'unknown-model':
      return CODES.invalidRequest
    case 'unknown-tool-call':
    case 'call-not-approvable':
    case 'unknown-tool':
    case 'tool-name-clash':
    case 'invalid-option':
    case 'invalid-seed':
    case 'invalid-input':
      return CODES.invalidParams
    case 'agent-not-found':
    case 'shutting-down':
    case 'storage-full':
    case 'storage-busy':
    case 'storage-unavailable':
      return CODES.internal
    default:
      return unreachable(code)
  }
}
