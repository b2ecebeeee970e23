import type { Server } from 'node:http'
import { createKeyRoutes } from './admin/key-routes.ts'
import { createSessionRoutes } from './admin/session-routes.ts'
import { createStatusRoutes, type ServerStatus } from './admin/status-routes.ts'
import { createAuthenticate, type Authenticate } from './auth/authenticate.ts'
import { createFailureLimit } from './auth/failure-limit.ts'
import { authenticateOwnerSocket } from './auth/owner-socket-caller.ts'
import { createSignInRoutes } from './auth/sign-in-routes.ts'
import type { SignInCodes } from './auth/sign-in-codes.ts'
import type { LoadedConfig } from './config/load-config.ts'
import { createDoors } from './doors.ts'
import { createAccessPolicy } from './http/access-policy.ts'
import { createApp } from './http/create-app.ts'
import { createHttpServer } from './http/http-server.ts'
import { createRequestListener, type HttpApp } from './http/request-listener.ts'
import { listenOnTcp, type TcpListener } from './http/tcp-listener.ts'
import type { Log } from './log.ts'
import { listenOnOwnerSocket } from './owner/owner-socket.ts'
import type { Phase } from './phase.ts'
import { randomBytes } from './platform/random-bytes.ts'
import { systemClock } from './platform/system-clock.ts'
import type { ServeOptions } from './serve-options.ts'
import { readVersion } from './version.ts'
import type { Parts } from './wire.ts'

/** The two ways in: TCP for everybody with a key, the owner socket for whoever owns the data directory. */
export interface Listeners {
  readonly publicUrl: string | undefined
  /** Returns the address. */
  listen(listen: { readonly host: string; readonly port: number }): Promise<string>
  listenForOwner(): Promise<void>
  /** Takes no more connections. Resolves when the last one has ended. */
  end(): Promise<void>
  /** Cuts what is still open. */
  close(): Promise<void>
}

export interface ListenersDeps {
  readonly options: ServeOptions
  readonly config: LoadedConfig
  readonly parts: Parts
  readonly codes: SignInCodes
  readonly log: Log
  readonly phase: () => Phase
}

export function createListeners(deps: ListenersDeps): Listeners {
  const { options, config, parts } = deps
  const publicUrl = options.publicUrl ?? config.publicUrl
  const allowOrigins = [...(options.allowOrigins ?? []), ...config.allowOrigins]
  const policy = createAccessPolicy({
    host: options.listen?.host ?? '',
    allowOrigins,
    ...(publicUrl === undefined ? {} : { publicUrl }),
  })
  const failures = createFailureLimit(systemClock)
  const authenticate = createAuthenticate({ keys: parts.keys, failures, policy })
  const describe = createStatus(deps)

  const publicApp = createListenerApp(deps, authenticate, describe.status)
  publicApp.route('/', createSignInRoutes({ keys: parts.keys, codes: deps.codes, failures, policy, authenticate }))
  const ownerApp = createListenerApp(deps, authenticateOwnerSocket, describe.status)

  const tcpServer = createHttpServer(createRequestListener(publicApp, policy))
  const ownerServer = createHttpServer(createRequestListener(ownerApp, { judge: () => ({ allowed: true }) }))
  let tcp: TcpListener | undefined
  let releaseSocket: (() => void) | undefined

  const end = async (): Promise<void> => {
    await Promise.all([tcp?.close(), closeServer(ownerServer)])
  }
  return {
    publicUrl,
    async listen(listen) {
      tcp = await listenOnTcp(tcpServer, listen)
      describe.listensAt(tcp.url)
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
      await ended
      releaseSocket?.()
    },
  }
}

function createListenerApp(deps: ListenersDeps, authenticate: Authenticate, status: () => ServerStatus): HttpApp {
  const { parts, config, phase, log } = deps
  const app = createApp({ phase, log, random: randomBytes, doors: createDoors({ parts, config, authenticate }) })
  app.route('/api/polylogue', createStatusRoutes(status, authenticate))
  app.route('/api/polylogue/keys', createKeyRoutes(parts.keys, authenticate))
  app.route('/api/polylogue/sessions', createSessionRoutes({ engine: parts.engine, store: parts.events, authenticate }))
  return app
}

function createStatus({ parts, phase }: ListenersDeps) {
  let url: string | undefined
  const fixed = {
    pid: process.pid,
    version: readVersion(),
    startedAt: systemClock.now(),
    agents: parts.agents.list().map((agent) => agent.name),
    defaultAgent: parts.agents.defaultName,
    sandbox: 'none',
  } as const
  return {
    listensAt(address: string): void {
      url = address
    },
    status: (): ServerStatus => ({ ...fixed, phase: phase(), doors: ['aap/v3', 'aap/v1'], ...(url && { url }) }),
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}
