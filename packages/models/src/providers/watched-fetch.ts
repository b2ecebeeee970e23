export type Fetch = typeof globalThis.fetch

/** More than any valid answer needs; bounds what a broken provider can send. */
const LARGEST_ANSWER = 128 * 1024 * 1024

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
    let size = 0
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        onByte()
        size += chunk.byteLength
        if (size > LARGEST_ANSWER) controller.error(new AnswerTooLarge())
        else controller.enqueue(chunk)
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
