import type { Clock, Timer } from '@polylogue/engine'
import type { Context } from 'hono'

/** An answer that is a JSON list, made piece by piece. */
export interface ListAnswer {
  /** The next items; `undefined` after the last. */
  next(): Promise<readonly unknown[] | undefined>
}

/** A client that takes nothing for so long is let go. */
const STALLED_MS = 30_000

/**
 * Sends a list without ever holding all of it: the next piece is made when the client has taken the one before. Whatever
 * goes wrong with the first piece is an answer of its own; later, the connection is cut.
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
        stalled = clock.setTimer(STALLED_MS, () => controller.error(new Error('the client takes nothing')))
      },
      cancel: () => stalled?.cancel(),
    },
    { highWaterMark: 1 },
  )
  return c.body(body, 200, { 'content-type': 'application/json' })
}
