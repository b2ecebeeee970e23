import type { Clock, Timer } from '@polylogue/engine'
import type { Context } from 'hono'

/** A JSON list that is sent in pieces. */
export interface ListAnswer {
  /** Returns the next items, and `undefined` after the last. */
  next(): Promise<readonly unknown[] | undefined>
}

/** A client that reads nothing for this long is disconnected. */
const STALLED_MS = 30_000

/**
 * Sends a list without holding all of it in memory. The next piece is made when the client has read the last one. An error
 * in the first piece becomes an error response. Later errors close the connection.
 */
export async function answerList(c: Context, list: ListAnswer, clock: Clock): Promise<Response> {
  const first = (await list.next()) ?? []
  const second = await list.next()
  if (second === undefined) return c.json(first)
  let ready: readonly unknown[] | undefined = second
  let isFirst = true
  let stalled: Timer | undefined
  const toText = (items: readonly unknown[]): string => {
    const text = items.map((item) => JSON.stringify(item)).join()
    if (text === '') return ''
    const before = isFirst ? '' : ','
    isFirst = false
    return before + text
  }
  const encoder = new TextEncoder()
  const start = encoder.encode(`[${toText(first)}`)
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(start),
      async pull(controller) {
        stalled?.cancel()
        const items = ready ?? (await list.next())
        ready = undefined
        if (items === undefined) {
          controller.enqueue(encoder.encode(']'))
          return controller.close()
        }
        controller.enqueue(encoder.encode(toText(items) || ' '))
        stalled = clock.setTimer(STALLED_MS, () => controller.error(new Error('the client does not read')))
      },
      cancel: () => stalled?.cancel(),
    },
    { highWaterMark: 1 },
  )
  return c.body(body, 200, { 'content-type': 'application/json' })
}
