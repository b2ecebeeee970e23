import { EngineError, StorageFault, unreachable, type EngineErrorCode, type RandomBytes } from '@polylogue/engine'
import type { ErrorHandler } from 'hono'
import type { Log } from '../log.ts'
import { HttpRefusal, type HttpRefusalStatus } from './http-refusal.ts'

/** The last resort of every route. What we did not expect is logged under an id; the client gets the id and no more. */
export function createErrorAnswer(deps: { readonly log: Log; readonly random: RandomBytes }): ErrorHandler {
  return (error, c) => {
    if (error instanceof HttpRefusal) return c.json({ error: error.message }, error.status, error.headers)
    if (error instanceof EngineError) return c.json({ error: error.message }, statusOf(error.code))
    const errorId = Buffer.from(deps.random(6)).toString('hex')
    deps.log.error({ errorId, method: c.req.method, route: c.req.routePath, err: error }, 'a request failed')
    if (error instanceof StorageFault) return c.json({ error: 'Storage is not available.', errorId }, 503)
    return c.json({ error: 'Something went wrong here.', errorId }, 500)
  }
}

function statusOf(code: EngineErrorCode): HttpRefusalStatus {
  switch (code) {
    case 'session-not-found':
      return 404
    case 'session-busy':
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
    case 'invalid-seed':
    case 'invalid-input':
      return 400
    default:
      return unreachable(code)
  }
}
