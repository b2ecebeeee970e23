import type { HttpBindings } from '@hono/node-server'
import { EngineError, StorageFault, type EngineErrorCode } from '@polylogue/engine'
import { ENGINE_ERROR_STATUS, codeOfFault, retryAfterOf } from '@polylogue/kit'
import type { Context, ErrorHandler } from 'hono'
import type { RefusalWords } from '../doors/find-door.ts'
import type { Log } from '../log/log.ts'
import { HttpRefusal } from './http-refusal.ts'
import { trailOf } from './request-trail.ts'

/** For errors that no route answered. An unexpected one is logged under an id; the client gets only the id. */
export function createErrorAnswer(log: Log, words: RefusalWords): ErrorHandler<{ Bindings: HttpBindings }> {
  return (error, c) => {
    if (error instanceof HttpRefusal) {
      const { status, message, headers } = error
      return c.json(words(c.req.path, { status, message }), status, headers)
    }
    if (error instanceof EngineError) return answerCode(c, words, error)
    const { id: errorId, route } = trailOf(c.env.incoming)
    log.error({ errorId, method: c.req.method, route, err: error }, 'a request failed')
    if (error instanceof StorageFault) {
      return answerCode(c, words, { code: codeOfFault(error), message: FAULTS[error.kind] })
    }
    return c.json(words(c.req.path, { status: 500, message: 'Something went wrong here.', errorId }), 500)
  }
}

const FAULTS: Readonly<Record<StorageFault['kind'], string>> = {
  full: 'The disk is full, so nothing can be stored until there is room.',
  busy: 'Another program holds the database. Try again in a moment.',
  broken: 'The storage is not available.',
}

function answerCode(
  c: Context,
  words: RefusalWords,
  { code, message }: { readonly code: EngineErrorCode; readonly message: string },
): Response {
  const retryAfterS = retryAfterOf(code)
  if (retryAfterS !== undefined) c.header('Retry-After', String(retryAfterS))
  const status = ENGINE_ERROR_STATUS[code]
  return c.json(words(c.req.path, { status, message, code }), status)
}
