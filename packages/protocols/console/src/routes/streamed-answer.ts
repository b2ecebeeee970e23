import { alreadySent, writeDocument, writeList } from '@polylogue/kit'
import type { Clock } from '@polylogue/engine'
import type { ServerResponse } from 'node:http'

/** A client that reads nothing for this long is disconnected. */
const PATIENCE_MS = 30_000

/** An object with one list that may be too long for memory. The list comes last and is sent as the client reads it. */
export class StreamedAnswer<Name extends string> {
  readonly head: object
  readonly name: Name
  readonly items: Iterable<object> | AsyncIterable<object>

  constructor(head: object, name: Name, items: Iterable<object> | AsyncIterable<object>) {
    this.head = head
    this.name = name
    this.items = items
  }

  async send(outgoing: ServerResponse, clock: Clock): Promise<Response> {
    const whole = await writeDocument(outgoing, { clock, patienceMs: PATIENCE_MS, status: 200 }, async (document) => {
      await document.write(`${JSON.stringify(this.head).slice(0, -1)},"${this.name}":`)
      await writeList(document, this.items)
      await document.write('}')
    })
    if (whole === undefined) return alreadySent()
    return new Response(whole, { headers: { 'content-type': 'application/json' } })
  }
}
