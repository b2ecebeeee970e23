import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** A web server on a free loopback port that remembers its requests. */
export interface WebSite {
  readonly port: number
  readonly asked: readonly { readonly url: string; readonly headers: IncomingHttpHeaders }[]
  connections(): number
  stop(): Promise<void>
}

export async function startWebSite(
  answer: RequestListener,
  secret?: { readonly key: string; readonly cert: string },
): Promise<WebSite> {
  const asked: { url: string; headers: IncomingHttpHeaders }[] = []
  let connections = 0
  const listener: RequestListener = (request, response) => {
    asked.push({ url: request.url ?? '', headers: request.headers })
    answer(request, response)
  }
  const server: Server = secret ? createSecureServer(secret, listener) : createServer(listener)
  server.on('connection', () => void (connections += 1))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    connections: () => connections,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
