import type { ServerResponse } from 'node:http'
import type { Clock } from '@polylogue/engine'
import { alreadySent, writeDocument, writeList } from '@polylogue/kit'

/** A client that reads nothing for this long is disconnected. */
const PATIENCE_MS = 30_000

/** Sends a JSON list as the client reads it. An error before the first byte rejects. Later ones close the connection. */
export async function answerList(
  outgoing: ServerResponse,
  items: AsyncIterable<object>,
  clock: Clock,
): Promise<Response> {
  const options = { clock, patienceMs: PATIENCE_MS, status: 200 } as const
  const whole = await writeDocument(outgoing, options, (document) => writeList(document, items))
  if (whole === undefined) return alreadySent()
  return new Response(whole, { headers: { 'content-type': 'application/json' } })
}
