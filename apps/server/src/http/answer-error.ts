import type { HttpBindings } from '@hono/node-server'
import { EngineError, StorageFault, type EngineErrorCode } from '@polylogue/engine'
import { ENGINE_ERROR_STATUS, codeOfFault, retryAfterOf } from '@polylogue/kit/light'
import type { ErrorHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { IncomingMessage } from 'node:http'
import type { RefusalWords } from '../doors/find-door.ts'
import type { Log } from '../log/log.ts'
import { HttpRefusal } from './http-refusal.ts'
import { trailOf } from './request-trail.ts'

/** The answer to a request whose route threw. */
export interface ErrorAnswer {
  readonly status: ContentfulStatusCode
  readonly body: object
  readonly headers: Readonly<Record<string, string>>
}

export type AnswerError = (error: unknown, incoming: IncomingMessage) => ErrorAnswer

/** For errors that no route answered. An unexpected one is logged under an id; the client gets only the id. */
export function createAnswerError(log: Log, words: RefusalWords): AnswerError {
  return (error, incoming) => {
    const path = incoming.url ?? ''
    if (error instanceof HttpRefusal) {
      const { status, message, headers } = error
      return { status, body: words(path, { status, message }), headers }
    }
    if (error instanceof EngineError) return answerCode(path, words, error)
    const { id: errorId, route } = trailOf(incoming)
    log.error({ errorId, method: incoming.method, route, err: error }, 'a request failed')
    if (error instanceof StorageFault) {
      return answerCode(path, words, { code: codeOfFault(error), message: FAULTS[error.kind] })
    }
    const body = words(path, { status: 500, message: 'Something went wrong here.', errorId })
    return { status: 500, body, headers: {} }
  }
}

export function answerErrorsWith(answerError: AnswerError): ErrorHandler<{ Bindings: HttpBindings }> {
  return (error, c) => {
    const { status, body, headers } = answerError(error, c.env.incoming)
    return c.json(body, status, headers)
  }
}

const FAULTS: Readonly<Record<StorageFault['kind'], string>> = {
  full: 'The disk is full, so nothing can be stored until there is room.',
  busy: 'The database is held by another program or does not answer. Try again in a moment.',
  broken: 'The storage is not available.',
}

function answerCode(
  path: string,
  words: RefusalWords,
  { code, message }: { readonly code: EngineErrorCode; readonly message: string },
): ErrorAnswer {
  const retryAfterS = retryAfterOf(code)
  const status = ENGINE_ERROR_STATUS[code]
  return {
    status,
    body: words(path, { status, message, code }),
    headers: retryAfterS === undefined ? {} : { 'Retry-After': String(retryAfterS) },
  }
}
