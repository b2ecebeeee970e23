import type { Socket } from 'socket.io'

/** Separates packets in a polling request. */
const SEPARATOR = '\u001e'
/** Far more than a client collects between two requests. */
const MOST_PACKETS = 1_000

/** A polling request may be as long as a message, but not contain millions of tiny packets. Closes such a connection. */
export function boundPayloads(connection: Socket['conn']): void {
  const { transport } = connection
  const take: unknown = Reflect.get(transport, 'onData')
  if (transport.name !== 'polling' || typeof take !== 'function') return
  Reflect.set(transport, 'onData', (payload: unknown) => {
    if (typeof payload === 'string' && hasTooMany(payload)) connection.close(true)
    else Reflect.apply(take, transport, [payload])
  })
}

function hasTooMany(payload: string): boolean {
  let packets = 1
  for (let at = payload.indexOf(SEPARATOR); at !== -1; at = payload.indexOf(SEPARATOR, at + 1)) {
    packets += 1
    if (packets > MOST_PACKETS) return true
  }
  return false
}
