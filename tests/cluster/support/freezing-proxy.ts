import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A proxy in front of a database, for one node. */
export interface FreezingProxy {
  readonly url: string
  /** From now on, no byte passes in either direction, and connections stay open. */
  freeze(): void
  /** Drops the answer to the next statement that contains this text, together with its connection. Resolves then. */
  loseAnswerTo(text: string): Promise<void>
  close(): void
}

export async function startFreezingProxy(url: string): Promise<FreezingProxy> {
  const target = new URL(url)
  let isFrozen = false
  const sockets = new Set<Socket>()
  const doomed = new Map<string, () => void>()
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.on('error', () => undefined)
    from.on('close', () => to.destroy())
    from.on('data', (bytes) => void (isFrozen || to.destroyed || to.write(bytes)))
  }
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const lost: (() => void)[] = []
    client.on('data', (bytes) => {
      for (const [text, lose] of doomed) {
        if (!bytes.includes(text)) continue
        doomed.delete(text)
        lost.push(lose)
      }
    })
    // The answer arrived here, so the statement is committed.
    upstream.prependListener('data', () => {
      if (lost.length === 0) return
      client.destroy()
      for (const lose of lost.splice(0)) lose()
    })
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
    loseAnswerTo: (text) => new Promise((resolve) => void doomed.set(text, resolve)),
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
