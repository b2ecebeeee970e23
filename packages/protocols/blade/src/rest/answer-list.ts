import type { ServerResponse } from 'node:http'
import type { Clock } from '@polylogue/engine'
import { alreadySent, writeDocument, writeList } from '@polylogue/kit'

/** A client that reads nothing for this long is disconnected. */
const PATIENCE_MS = 30_000

/** A page of a list: an object with `items` and the fields of `rest`. */
export interface LongPage {
  readonly items: AsyncIterable<object>
  readonly rest: object
}

/** Sends a JSON list as the client reads it. An error before the first byte rejects. Later ones close the connection. */
export async function answerList(
  outgoing: ServerResponse,
  list: AsyncIterable<object> | LongPage,
  clock: Clock,
): Promise<Response> {
  const options = { clock, patienceMs: PATIENCE_MS, status: 200 } as const
  const whole = await writeDocument(outgoing, options, async (document) => {
    if (!('items' in list)) return writeList(document, list)
    await document.write('{"items":')
    await writeList(document, list.items)
    await document.write(`,${JSON.stringify(list.rest).slice(1)}`)
  })
  if (whole === undefined) return alreadySent()
  return new Response(whole, { headers: { 'content-type': 'application/json' } })
}
