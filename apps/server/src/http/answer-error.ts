import type { HttpBindings } from '@hono/node-server'
import { EngineError, StorageFault, type EngineErrorCode } from '@polylogue/engine'
import { ENGINE_ERROR_STATUS, codeOfFault, retryAfterOf } from '@polylogue/kit'
import type { Context, ErrorHandler } from 'hono'
import type { Log } from '../log/log.ts'
import { HttpRefusal } from './http-refusal.ts'
import { trailOf } from './request-trail.ts'

/** The last resort of every route. What we did not expect is logged under an id; the client gets the id and no more. */
export function createErrorAnswer(log: Log): ErrorHandler<{ Bindings: HttpBindings }> {
  return (error, c) => {
    if (error instanceof HttpRefusal) return c.json({ error: error.message }, error.status, error.headers)
    if (error instanceof EngineError) return answerCode(c, error.code, error.message)
    const { id: errorId, route } = trailOf(c.env.incoming)
    log.error({ errorId, method: c.req.method, route, err: error }, 'a request failed')
    if (error instanceof StorageFault) return answerCode(c, codeOfFault(error), FAULTS[error.kind])
    return c.json({ error: 'Something went wrong here.', errorId }, 500)
  }
}

const FAULTS: Readonly<Record<StorageFault['kind'], string>> = {
  full: 'The disk is full, so nothing can be stored until there is room.',
  busy: 'Another program holds the database. Try again in a moment.',
  broken: 'The storage is not available.',
}

function answerCode(c: Context, code: EngineErrorCode, error: string): Response {
  const retryAfterS = retryAfterOf(code)
  if (retryAfterS !== undefined) c.header('Retry-After', String(retryAfterS))
  return c.json({ error, code }, ENGINE_ERROR_STATUS[code])
}
