/**
 * Blade's Socket.IO server without its own listener. The server passes it the requests for `/socket.io/`. Socket.IO is
 * loaded with the first one.
 */
import type { Clock, UserId } from '@polylogue/engine'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { BladeSocketDeps, ConnectedClient, SessionChange } from './deps.ts'
import type { SocketServer } from './socket-server.ts'

export interface BladeSockets {
  handleRequest(incoming: IncomingMessage, outgoing: ServerResponse): void
  handleUpgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Call it with every change, so that clients can update their session lists. */
  sessionChanged(change: SessionChange): void
  /** Whether a socket of this user is connected. */
  hasUser(userId: UserId): boolean
  clients(): readonly ConnectedClient[]
  /** Closes all connections. Idempotent. */
  close(): Promise<void>
}

export function createBladeSockets(deps: BladeSocketDeps & { readonly clock: Clock }): BladeSockets {
  let loading: Promise<SocketServer> | undefined
  let loaded: SocketServer | undefined
  let isClosed = false
  const load = async (): Promise<SocketServer> => {
    const { createSocketServer } = await import('./socket-server.ts')
    loaded = createSocketServer(deps)
    return loaded
  }
  const handle = (work: (server: SocketServer) => void, socket: Duplex): void => {
    if (isClosed) return void socket.destroy()
    if (loaded !== undefined) return work(loaded)
    loading ??= load()
    loading.then(work).catch((error: unknown) => {
      deps.log({ level: 'error', message: 'Socket.IO could not be started', error })
      socket.destroy()
    })
  }
  return {
    handleRequest: (incoming, outgoing) =>
      handle((server) => server.handleRequest(incoming, outgoing), incoming.socket),
    handleUpgrade: (incoming, socket, head) => handle((server) => server.handleUpgrade(incoming, socket, head), socket),
    sessionChanged(change) {
      loaded?.sessionChanged(change)
    },
    hasUser: (userId) => loaded?.hasUser(userId) ?? false,
    clients: () => loaded?.clients() ?? [],
    async close() {
      if (isClosed) return
      isClosed = true
      const server = await loading
      server?.close()
    },
  }
}
