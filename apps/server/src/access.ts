import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { createAdmission } from './auth/admission.ts'
import { createAuthenticate, type Authenticate } from './auth/authenticate.ts'
import { createFailureLimit, type FailureLimit } from './auth/failure-limit.ts'
import { authenticateOwnerSocket } from './auth/owner-socket-caller.ts'
import type { Parts } from './compose.ts'
import type { LoadedConfig } from './config/load-config.ts'
import { createAccessPolicy, type AccessPolicy } from './http/access-policy.ts'
import { createClientAddress, createProxyList, type ClientAddress } from './http/client-address.ts'
import { clientGroup, isLoopback } from './http/network-address.ts'
import { createRateLimit, type RateLimit } from './limits/rate-limit.ts'
import { createUnauthenticatedSockets } from './limits/unauthenticated-sockets.ts'
import type { Redactor } from './log/redactor.ts'
import { systemClock } from './platform/system-clock.ts'
import type { ServeOptions } from './serve-options.ts'

/** Who may come in, and how they show who they are. */
export interface Access {
  readonly publicUrl: string | undefined
  /** For the TCP listener. */
  readonly policy: AccessPolicy
  readonly addressOf: ClientAddress
  /** Wrong keys, counted for all kinds of connection together. */
  readonly failures: FailureLimit
  /** For every listener: a connection of the owner socket needs no key. */
  readonly authenticate: Authenticate
  /** Groups the connections of a client that has not shown a key; `undefined` for clients that are not counted. */
  clientOf(incoming: IncomingMessage): string | undefined
  /** Counts this server's connections until they show a key. */
  watchPublic(server: Server): void
  /** Every connection of this server is the owner's. */
  watchOwner(server: Server): void
}

export interface AccessDeps {
  readonly options: ServeOptions
  readonly config: LoadedConfig
  readonly parts: Pick<Parts, 'keys' | 'metrics' | 'sharedCounts'>
  readonly redactor: Redactor
}

export function createAccess({ options, config, parts, redactor }: AccessDeps): Access {
  const { limits } = config
  const { keys, metrics, sharedCounts } = parts
  const publicUrl = options.publicUrl ?? config.publicUrl
  const policy = createAccessPolicy({
    host: options.listen?.host ?? '',
    allowOrigins: [...(options.allowOrigins ?? []), ...config.allowOrigins],
    ...(publicUrl === undefined ? {} : { publicUrl }),
  })
  const proxies = createProxyList(config.trustedProxies)
  const addressOf = createClientAddress(proxies)
  const isExempt = (address: string): boolean =>
    proxies.has(address) || (limits.loopback === 'exempt' && isLoopback(address))
  const sockets = createUnauthenticatedSockets({
    perAddress: limits.unauthenticatedSockets,
    isExempt,
    refused: () => metrics.refusals.add({ limit: 'unauthenticated-sockets' }),
  })
  const failures = createFailureLimit({
    clock: systemClock,
    loopback: limits.loopback,
    ...(sharedCounts && { shared: sharedCounts }),
  })
  const requests = createRateLimit(limits.requestsPerKeyPerMinute, systemClock)
  const admit = (authenticate: Authenticate, rate: RateLimit, admitSocket?: (socket: Socket) => void): Authenticate =>
    createAdmission({
      authenticate,
      requests: rate,
      wrongKey: () => metrics.wrongKeys.add(),
      refused: () => metrics.refusals.add({ limit: 'requests' }),
      ...(admitSocket && { admitSocket }),
    })
  const withKey = admit(
    createAuthenticate({ keys, failures, policy, addressOf, redactor }),
    sharedCounts?.share('requests', requests) ?? requests,
    (socket) => sockets.admit(socket),
  )
  const asOwner = admit(authenticateOwnerSocket, createRateLimit(limits.requestsPerKeyPerMinute, systemClock))
  const ownerSockets = new WeakSet<Socket>()
  return {
    publicUrl,
    policy,
    addressOf,
    failures,
    authenticate: (incoming) => (ownerSockets.has(incoming.socket) ? asOwner(incoming) : withKey(incoming)),
    clientOf(incoming) {
      const address = addressOf(incoming)
      return isExempt(address) ? undefined : clientGroup(address)
    },
    watchPublic: (server) => sockets.watch(server),
    watchOwner: (server) => void server.on('connection', (socket: Socket) => ownerSockets.add(socket)),
  }
}
