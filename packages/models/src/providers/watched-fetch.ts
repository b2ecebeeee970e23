import { createEventCheck } from './event-check.ts'

export type Fetch = typeof globalThis.fetch

/** More than any valid answer needs; bounds what a broken provider can send. */
const LARGEST_ANSWER = 128 * 1024 * 1024

/** Holds hundreds of events. Others have their turn of the event loop before the SDK reads them. */
const LARGE_CHUNK = 8 * 1024

export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge'
}

/** The address serves a web page, not an API. */
export class AnswerIsPage extends Error {
  override readonly name = 'AnswerIsPage'
}

export class AnswerIsRedirect extends Error {
  override readonly name = 'AnswerIsRedirect'
  readonly statusCode: number

  constructor(statusCode: number) {
    super('the provider redirects elsewhere')
    this.statusCode = statusCode
  }
}

/** `fetch` that reports every byte, including keep-alives that never become part of the answer. */
export function watchFetch(fetch: Fetch, onByte: () => void): Fetch {
  return async (input, init) => {
    // A redirect would send our key to another host.
    const response = await fetch(input, { ...init, redirect: 'manual' })
    const problem = findProblem(response)
    if (problem !== undefined) {
      await response.body?.cancel()
      throw problem
    }
    if (response.body === null) return response
    const isStream = /^text\/event-stream/i.test(response.headers.get('content-type') ?? '')
    const check = isStream ? createEventCheck() : undefined
    let size = 0
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        onByte()
        if (chunk.byteLength > LARGE_CHUNK) await new Promise((resolve) => setImmediate(resolve))
        size += chunk.byteLength
        const read = check === undefined ? chunk : check.push(chunk)
        if (size > LARGEST_ANSWER || read === undefined) controller.error(new AnswerTooLarge())
        else controller.enqueue(read)
      },
    })
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(counted), { status, statusText, headers })
  }
}

/** Why the body should not be read. Pages that come with an HTTP error are left to the error handling. */
function findProblem({ status, ok, headers }: Response): Error | undefined {
  if (status >= 300 && status < 400) return new AnswerIsRedirect(status)
  const isPage = /^\s*(?:text\/html|application\/xhtml)/i.test(headers.get('content-type') ?? '')
  return ok && isPage ? new AnswerIsPage('the provider answered with a web page') : undefined
}
