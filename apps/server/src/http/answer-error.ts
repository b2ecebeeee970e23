import type { HttpBindings } from '@hono/node-server'
import { EngineError, StorageFault, unreachable, type EngineErrorCode } from '@polylogue/engine'
import type { Context, ErrorHandler } from 'hono'
import type { Log } from '../log/log.ts'
import { HttpRefusal, type HttpRefusalStatus } from './http-refusal.ts'
import { trailOf } from './request-trail.ts'

/** The last resort of every route. What we did not expect is logged under an id; the client gets the id and no more. */
export function createErrorAnswer(log: Log): ErrorHandler<{ Bindings: HttpBindings }> {
  return (error, c) => {
    if (error instanceof HttpRefusal) return c.json({ error: error.message }, error.status, error.headers)
    if (error instanceof EngineError) return answerCode(c, error.code, error.message)
    const { id: errorId, route } = trailOf(c.env.incoming)
    log.error({ errorId, method: c.req.method, route, err: error }, 'a request failed')
    if (error instanceof StorageFault) return answerCode(c, ...FAULTS[error.kind])
    return c.json({ error: 'Something went wrong here.', errorId }, 500)
  }
}

const FAULTS: { readonly [kind in StorageFault['kind']]: readonly [EngineErrorCode, string] } = {
  full: ['storage-full', 'The disk is full, so nothing can be stored until there is room.'],
  busy: ['storage-busy', 'Another program holds the database. Try again in a moment.'],
  broken: ['storage-unavailable', 'The storage is not available.'],
}

function answerCode(c: Context, code: EngineErrorCode, error: string): Response {
  const status = statusOf(code)
  return c.json({ error, code }, status, status === 503 || status === 429 ? { 'Retry-After': '5' } : {})
}

function statusOf(code: EngineErrorCode): HttpRefusalStatus {
  switch (code) {
    case 'session-not-found':
      return 404
    case 'session-busy':
    case 'nothing-to-compact':
    case 'call-already-settled':
    case 'receipt-mismatch':
      return 409
    case 'queue-full':
    case 'too-many-turns':
      return 429
    case 'storage-full':
      return 507
    case 'shutting-down':
    case 'storage-busy':
    case 'storage-unavailable':
      return 503
    case 'agent-not-found':
    case 'unknown-tool-call':
    case 'call-not-approvable':
    case 'unknown-tool':
    case 'tool-name-clash':
    case 'invalid-option':
    case 'unknown-model':
    case 'invalid-seed':
    case 'invalid-input':
      return 400
    default:
      return unreachable(code)
  }
}
