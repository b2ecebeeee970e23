import { SOCKET_PATH } from '@polylogue/blade'
import type { ServerStatus } from '@polylogue/console'
import type { Server } from 'node:http'
import type { AcpConnections } from './acp/acp-connections.ts'
import { PIPE_PROTOCOL } from './acp/handshake.ts'
import { createPipeUpgrade } from './acp/pipe-upgrade.ts'
import { createWebSocketUpgrade } from './acp/web-socket-upgrade.ts'
import { createOwnerApp, createPublicAccess, createPublicApp, type AppsDeps } from './apps.ts'
import { logRefusals } from './auth/log-refusals.ts'
import { createSockets, toUpgradeRoute } from './blade/blade-sockets.ts'
import { DOOR_NAMES } from './doors.ts'
import { createAccessPolicy } from './http/access-policy.ts'
import { createClientAddress, createProxyList } from './http/client-address.ts'
import { createHttpServer } from './http/http-server.ts'
import { clientGroup, isLoopback } from './http/network-address.ts'
import { createRequestListener, type HttpApp } from './http/request-listener.ts'
import { listenOnTcp, type TcpListener } from './http/tcp-listener.ts'
import { listenForUpgrades } from './http/upgrade-listener.ts'
import { createUnauthenticatedSockets } from './limits/unauthenticated-sockets.ts'
import { createRequestObserver } from './observe/request-observer.ts'
import { listenOnOwnerSocket } from './owner/owner-socket.ts'
import { systemClock } from './platform/system-clock.ts'
import type { ServeOptions } from './serve-options.ts'
import { readVersion } from './version.ts'

/** The two ways in: TCP for everybody with a key, the owner socket for whoever owns the data directory. */
export interface Listeners {
  readonly publicUrl: string | undefined
  /** All that is served over TCP, as `GET /aap/v3/meta`. */
  readonly routes: readonly string[]
  /** Returns the address. */
  listen(listen: { readonly host: string; readonly port: number }): Promise<string>
  listenForOwner(): Promise<void>
  /** Takes no more connections. Resolves when the last one has ended. */
  end(): Promise<void>
  /** Cuts what is still open. */
  close(): Promise<void>
}

export type ListenersDeps = Omit<AppsDeps, 'status'> & {
  readonly options: ServeOptions
  readonly connections: AcpConnections
}

export function createListeners({ options, connections, ...deps }: ListenersDeps): Listeners {
  const { config, log, parts, phase } = deps
  const { metrics } = parts
  const publicUrl = options.publicUrl ?? config.publicUrl
  const policy = createAccessPolicy({
    host: options.listen?.host ?? '',
    allowOrigins: [...(options.allowOrigins ?? []), ...config.allowOrigins],
    ...(publicUrl === undefined ? {} : { publicUrl }),
  })
  let tcp: TcpListener | undefined
  let releaseSocket: (() => void) | undefined
  const status = createStatus(deps, () => tcp?.url)

  const proxies = createProxyList(config.trustedProxies)
  const addressOf = createClientAddress(proxies)
  const isExempt = (address: string): boolean =>
    proxies.has(address) || (config.limits.loopback === 'exempt' && isLoopback(address))
  const sockets = createUnauthenticatedSockets({
    perAddress: config.limits.unauthenticatedSockets,
    isExempt,
    refused: () => metrics.refusals.add({ limit: 'unauthenticated-sockets' }),
  })
  const access = createPublicAccess(deps, { policy, addressOf, sockets })
  const publicApp = createPublicApp({ ...deps, status }, { policy, addressOf, sockets }, access)
  const ownerApp = createOwnerApp({ ...deps, status })
  const ended = createRequestObserver({ log, metrics, addressOf })
  const blade = createSockets({
    parts,
    config,
    log,
    authenticate: logRefusals(access.authenticate, { log, addressOf, route: SOCKET_PATH }),
    clientOf: (incoming) => {
      const address = addressOf(incoming)
      return isExempt(address) ? undefined : clientGroup(address)
    },
  })
  const direct = { path: SOCKET_PATH, handle: blade.handleRequest }
  const tcpServer = createHttpServer(createRequestListener(publicApp, { policy, ended, direct }), {
    upgradesTo: 'websocket',
  })
  sockets.watch(tcpServer)
  const everything = { judge: () => ({ allowed: true }) as const }
  const ownerServer = createHttpServer(createRequestListener(ownerApp, { policy: everything, ended }), {
    upgradesTo: PIPE_PROTOCOL,
  })
  const { agents, streams } = parts
  const overNetwork = createWebSocketUpgrade({
    connections,
    agents,
    streams,
    authenticate: access.authenticate,
    settings: config.acp,
    ceiling: config.permissions.ceiling,
    frameBytes: config.limits.imageRequestBytes,
  })
  const upgraded = [
    listenForUpgrades(tcpServer, [overNetwork, toUpgradeRoute(blade)], { policy, phase, log, ended }),
    listenForUpgrades(ownerServer, [createPipeUpgrade({ connections, agents })], {
      policy: everything,
      phase,
      log,
      ended,
    }),
  ]

  const end = async (): Promise<void> => {
    await Promise.all([blade.close(), tcp?.close(), closeServer(ownerServer)])
  }
  return {
    publicUrl,
    routes: routesOf(publicApp),
    async listen(listen) {
      tcp = await listenOnTcp(tcpServer, listen)
      return tcp.url
    },
    async listenForOwner() {
      releaseSocket = await listenOnOwnerSocket(ownerServer, options.dataDir)
    },
    end,
    async close() {
      const ended = end()
      tcpServer.closeAllConnections()
      ownerServer.closeAllConnections()
      for (const sockets of upgraded) sockets.cut()
      await ended
      releaseSocket?.()
    },
  }
}

function createStatus(
  { parts, phase }: Pick<AppsDeps, 'parts' | 'phase'>,
  address: () => string | undefined,
): () => ServerStatus {
  const fixed = {
    pid: process.pid,
    version: readVersion(),
    startedAt: systemClock.now(),
    agents: parts.agents.list().map((agent) => agent.name),
    defaultAgent: parts.agents.defaultName,
    doors: DOOR_NAMES,
    ...parts.confinement,
  } as const
  return () => {
    const url = address()
    return { ...fixed, phase: phase(), ...(url === undefined ? {} : { url }) }
  }
}

function routesOf({ routes }: HttpApp): readonly string[] {
  const answering = routes.filter(({ method, path }) => method !== 'ALL' && !path.includes('*'))
  return [...new Set(answering.map(({ method, path }) => `${method} ${path}`))]
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}
