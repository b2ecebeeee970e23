import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A proxy in front of a database, for one node. */
export interface FreezingProxy {
  readonly url: string
  /** From now on, no byte passes in either direction, and connections stay open. */
  freeze(): void
  close(): void
}

export async function startFreezingProxy(url: string): Promise<FreezingProxy> {
  const target = new URL(url)
  let isFrozen = false
  const sockets = new Set<Socket>()
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.on('error', () => undefined)
    from.on('close', () => to.destroy())
    from.on('data', (bytes) => void (isFrozen || to.write(bytes)))
  }
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    pass(client, upstream)
    pass(upstream, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const own = new URL(url)
  own.port = String(address.port)
  return {
    url: own.href,
    freeze: () => void (isFrozen = true),
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
