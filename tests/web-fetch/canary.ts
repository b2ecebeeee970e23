import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server of the inner network. Every connection to it is one too many. */
export interface Canary {
  readonly port: number
  connections(): number
  stop(): Promise<void>
}

const sing: RequestListener = (_, response) => response.setHeader('content-type', 'text/plain').end('secret')

/** On one port of each address; an address that this machine does not have is left out. */
export async function startCanary(
  addresses: readonly string[],
  { port = 0, answer = sing }: { readonly port?: number; readonly answer?: RequestListener } = {},
): Promise<Canary> {
  const servers: Server[] = []
  let connections = 0
  let taken = port
  for (const address of addresses) {
    const server = createServer(answer)
    server.on('connection', () => void (connections += 1))
    if (!(await listen(server, taken, address))) continue
    servers.push(server)
    taken = (server.address() as AddressInfo).port
  }
  return {
    port: taken,
    connections: () => connections,
    async stop() {
      await Promise.all(
        servers.map((server) => {
          const stopped = new Promise((resolve) => void server.close(resolve))
          server.closeAllConnections()
          return stopped
        }),
      )
    },
  }
}

function listen(server: Server, port: number, address: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') resolve(false)
      else reject(error)
    })
    server.listen(port, address, () => resolve(true))
  })
}
