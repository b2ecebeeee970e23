import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer, type Server as NetServer } from 'node:net'
import { EXIT_FAILURE, ServeError } from '../serve-error.ts'

const DEFAULT_HOST = '127.0.0.1'

export interface TcpListener {
  readonly url: string
  /** Accepts no more connections. Resolves when the last open one has ended. */
  close(): Promise<void>
}

export async function listenOnTcp(server: Server, listen: { host: string; port: number }): Promise<TcpListener> {
  try {
    await startListening(server, listen.host, listen.port)
  } catch (error) {
    throw toServeError(error, listen)
  }
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : listen.port
  const twin = listen.host === DEFAULT_HOST ? await listenOnLoopback6(server, port) : undefined
  return {
    url: `http://${toUrlHost(listen.host)}:${port}`,
    async close() {
      const servers = twin === undefined ? [server] : [server, twin]
      await Promise.all(servers.map(closeListener))
    },
  }
}

/** On many machines `localhost` is `::1` first. Optional: there may be no IPv6, or the port may be taken there. */
async function listenOnLoopback6(server: Server, port: number): Promise<NetServer | undefined> {
  const twin = createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true }, (socket) => {
    server.emit('connection', socket)
  })
  try {
    await startListening(twin, '::1', port)
    return twin
  } catch (error) {
    if (isSystemError(error)) return undefined
    throw error
  }
}

async function startListening(server: NetServer, host: string, port: number): Promise<void> {
  server.listen({ host, port, ipv6Only: host === '::1' })
  await once(server, 'listening')
}

function closeListener(server: NetServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

function toServeError(error: unknown, { host, port }: { host: string; port: number }): unknown {
  if (!isSystemError(error)) return error
  const told = (message: string): ServeError => new ServeError(message, EXIT_FAILURE, { cause: error })
  switch (error.code) {
    case 'EADDRINUSE':
      return told(`Port ${port} on ${host} is in use. Stop what runs there, or choose another with --port.`)
    case 'EACCES':
      return told(`This user may not listen on port ${port}. Choose one above 1023 with --port.`)
    default:
      return told(`Cannot listen on ${host}: it is not an address of this machine (${error.code}).`)
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}

function toUrlHost(host: string): string {
  if (host === '0.0.0.0' || host === '') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
