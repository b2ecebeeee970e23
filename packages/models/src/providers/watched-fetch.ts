export type Fetch = typeof globalThis.fetch

/** More than any answer needs, envelopes included; what a provider gone wild may cost us. */
const LARGEST_ANSWER = 128 * 1024 * 1024

export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge'
}

/** There is a web site at this address. */
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

/** The provider's HTTP, with an eye on every byte: also the signs of life that never become a part of the answer. */
export function watchFetch(fetch: Fetch, onByte: () => void): Fetch {
  return async (input, init) => {
    // A redirect would carry our key to wherever it points.
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

/** Why its body is not worth reading. Pages that come with an error are for whoever reads the error. */
function findProblem({ status, ok, headers }: Response): Error | undefined {
  if (status >= 300 && status < 400) return new AnswerIsRedirect(status)
  const isPage = /^\s*(?:text\/html|application\/xhtml)/i.test(headers.get('content-type') ?? '')
  return ok && isPage ? new AnswerIsPage('the provider answered with a web page') : undefined
}
