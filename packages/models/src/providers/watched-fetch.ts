export type Fetch = typeof globalThis.fetch

/** More than any answer needs, envelopes included; what a provider gone wild may cost us. */
const LARGEST_ANSWER = 128 * 1024 * 1024

export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge'
}

/** The provider's HTTP, with an eye on every byte: also the signs of life that never become a part of the answer. */
export function watchFetch(fetch: Fetch, onByte: () => void): Fetch {
  return async (input, init) => {
    // A redirect would carry our key to wherever it points.
    const response = await fetch(input, { ...init, redirect: 'error' })
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
