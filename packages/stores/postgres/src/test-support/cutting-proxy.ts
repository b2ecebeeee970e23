import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A database proxy that can drop an answer: the database does the work, but the client gets no reply. */
export interface CuttingProxy {
  readonly url: string
  /** Drops the answer to the next statement that contains this text, together with its connection. */
  loseAnswerTo(text: string): void
  /** From now on, no byte passes in either direction, and connections stay open. */
  freeze(): void
  /** The same for one connection, from the next statement that contains this text. */
  freezeAt(text: string): void
  /** Ends all connections and accepts none, as a server that restarts. */
  refuse(isRefusing: boolean): void
  close(): void
}

export async function startCuttingProxy(url: string): Promise<CuttingProxy> {
  const target = new URL(url)
  let doomed: string | undefined
  let isFrozen = false
  let frozenAt: string | undefined
  const sockets = new Set<Socket>()
  let isRefusing = false
  const server = createServer((client) => {
    if (isRefusing) return void client.resetAndDestroy()
    const upstream = connect(Number(target.port), target.hostname)
    let isDoomed = false
    let isSilent = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    }
    client.on('data', (bytes) => {
      if (frozenAt !== undefined && bytes.includes(frozenAt)) {
        frozenAt = undefined
        isSilent = true
      }
      if (isFrozen || isSilent) return
      if (doomed !== undefined && bytes.includes(doomed)) {
        doomed = undefined
        isDoomed = true
      }
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      // The answer arrived here, so the statement is committed.
      if (isDoomed) client.destroy()
      else if (!isFrozen && !isSilent) client.write(bytes)
    })
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const own = new URL(url)
  own.port = String(address.port)
  return {
    url: own.href,
    loseAnswerTo: (text) => void (doomed = text),
    freeze: () => void (isFrozen = true),
    freezeAt: (text) => void (frozenAt = text),
    refuse(next) {
      isRefusing = next
      if (next) for (const socket of sockets) socket.destroy()
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
