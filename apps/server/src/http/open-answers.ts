import { EngineError } from '@polylogue/engine'
import type { ServerResponse } from 'node:http'
import type { AnswerError } from './answer-error.ts'
import { sendJson } from './send-json.ts'

/** The requests of a listener that have no whole answer yet. */
export interface OpenAnswers {
  add(outgoing: ServerResponse): void
  delete(outgoing: ServerResponse): void
  /**
   * Ends all of them, so that their clients try another node: an answer that has begun is cut, and a request without one
   * gets 503.
   */
  end(answerError: AnswerError): void
}

export function createOpenAnswers(): OpenAnswers {
  const open = new Set<ServerResponse>()
  return {
    add: (outgoing) => void open.add(outgoing),
    delete: (outgoing) => void open.delete(outgoing),
    end(answerError) {
      for (const outgoing of open) {
        if (outgoing.headersSent) outgoing.destroy()
        else refuse(outgoing, answerError)
      }
    },
  }
}

function refuse(outgoing: ServerResponse, answerError: AnswerError): void {
  const busy = new EngineError('storage-busy', 'the database does not answer; try again in a moment')
  const { status, body, headers } = answerError(busy, outgoing.req)
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value)
  outgoing.shouldKeepAlive = false
  sendJson(outgoing, status, body)
  // The route does not know, and answers later.
  Object.assign(outgoing, { writeHead: () => outgoing, write: () => true, end: () => outgoing })
}
