import type { Clock } from '@polylogue/engine'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { SOCKET_PATH } from '../light/connection.ts'
import { createBladeSockets, type BladeSockets } from './create-blade-sockets.ts'
import type { BladeSocketDeps } from './deps.ts'

/** Handles the requests for `/socket.io/` of a server. All others go to its own listeners. */
export function attachBlade(server: Server, deps: BladeSocketDeps & { readonly clock: Clock }): BladeSockets {
  const sockets = createBladeSockets(deps)
  const others = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (isOurs(incoming)) sockets.handleRequest(incoming, outgoing)
    else for (const listener of others) Reflect.apply(listener, server, [incoming, outgoing])
  })
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isOurs(incoming)) sockets.handleUpgrade(incoming, socket, head)
  })
  return sockets
}

const isOurs = ({ url }: IncomingMessage): boolean => `${url?.split('?', 1)[0] ?? ''}/`.startsWith(SOCKET_PATH)
