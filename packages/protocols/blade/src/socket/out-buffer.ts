import type { Socket } from 'socket.io'

type Connection = Socket['conn']

/**
 * Counts what waits for a client. Packets wait in two places: in the connection until its transport takes them, and in
 * the transport until the kernel has. Both are emptied as a whole.
 */
export function watchOutBuffer(connection: Connection, limitBytes: number, tooSlow: () => void): void {
  let waiting = 0
  let leaving = 0
  let largest = 0
  let isOver = false
  connection.on('packetCreate', ({ data }: { readonly data?: string | Buffer }) => {
    const size = data?.length ?? 0
    if (size > largest) largest = size
    waiting += size
    if (isOver || waiting + leaving <= limitBytes || waiting + leaving <= 2 * largest) return
    isOver = true
    tooSlow()
  })
  connection.on('flush', () => {
    leaving += waiting
    waiting = 0
  })
  const watchTransport = (transport: Connection['transport']): void => void transport.on('drain', () => (leaving = 0))
  watchTransport(connection.transport)
  connection.on('upgrade', watchTransport)
}

/** Without a goodbye, which would wait behind all the rest. */
export function cutOff(connection: Connection): void {
  connection.close(true)
  connection.request.socket.destroy()
}
