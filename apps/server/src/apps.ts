import type { Socket } from 'node:net'
import { createDoctorRoutes } from './admin/doctor-routes.ts'
import type { ServerStatus } from '@polylogue/console'
import { createAdmission } from './auth/admission.ts'
import { createAuthenticate, type Authenticate } from './auth/authenticate.ts'
import { createFailureLimit, type FailureLimit } from './auth/failure-limit.ts'
import { authenticateOwnerSocket } from './auth/owner-socket-caller.ts'
import type { SignInCodes } from './auth/sign-in-codes.ts'
import { createSignInRoutes } from './auth/sign-in-routes.ts'
import { createBladeRest } from './blade/blade-rest.ts'
import type { LoadedConfig } from './config/load-config.ts'
import type { LiveFacts } from './doctor/live-facts.ts'
import { createDoors } from './doors.ts'
import { mountConsole, mountOwnerConsole } from './doors/console.ts'
import type { AccessPolicy } from './http/access-policy.ts'
import type { ClientAddress } from './http/client-address.ts'
import { createApp } from './http/create-app.ts'
import type { HttpApp } from './http/request-listener.ts'
import { createRateLimit } from './limits/rate-limit.ts'
import type { UnauthenticatedSockets } from './limits/unauthenticated-sockets.ts'
import type { Log } from './log/log.ts'
import type { Redactor } from './log/redactor.ts'
import { createMetricsRoutes } from './metrics/metrics-routes.ts'
import { HAND_OVER_PATH, createHandOverRoutes } from './owner/hand-over-routes.ts'
import { createPageRoutes } from './page/page-routes.ts'
import type { Phase } from './phase.ts'
import { systemClock } from './platform/system-clock.ts'
import { readVersion } from './version.ts'
import type { Parts } from './compose.ts'

export interface AppsDeps {
  readonly config: LoadedConfig
  readonly parts: Parts
  readonly codes: SignInCodes
  readonly log: Log
  readonly redactor: Redactor
  readonly phase: () => Phase
  readonly status: () => ServerStatus
  /** Present where the data directory is given up to a server that wants it. */
  readonly handOver?: () => void
}

/** What a listener for strangers has besides. */
export interface PublicAppDeps {
  readonly policy: AccessPolicy
  readonly addressOf: ClientAddress
  readonly sockets: Pick<UnauthenticatedSockets, 'admit'>
}

/** How strangers show who they are, on whatever kind of connection: wrong keys are counted together. */
export function createPublicAccess(
  deps: Omit<AppsDeps, 'status'>,
  { policy, addressOf, sockets }: PublicAppDeps,
): { readonly authenticate: Authenticate; readonly failures: FailureLimit } {
  const { config, redactor } = deps
  const failures = createFailureLimit({ clock: systemClock, loopback: config.limits.loopback })
  const { keys } = deps.parts
  const authenticate = admitWith(deps, createAuthenticate({ keys, failures, policy, addressOf, redactor }), (socket) =>
    sockets.admit(socket),
  )
  return { authenticate, failures }
}

/** For everybody who has a key, and for browsers. */
export function createPublicApp(
  deps: AppsDeps,
  { policy, addressOf }: PublicAppDeps,
  { authenticate, failures }: ReturnType<typeof createPublicAccess>,
): HttpApp {
  const { parts, codes, redactor } = deps
  const { keys } = parts
  return createSharedApp(deps, authenticate, (app) => {
    app.route('/', createSignInRoutes({ keys, codes, failures, policy, authenticate, addressOf, redactor }))
    app.route('/', createPageRoutes({ version: readVersion() }))
  })
}

/** For whoever owns the data directory. */
export function createOwnerApp(deps: AppsDeps): HttpApp {
  const { parts, config } = deps
  const authenticate = admitWith(deps, authenticateOwnerSocket)
  return createSharedApp(deps, authenticate, (app) => {
    mountOwnerConsole(app, { parts, config, authenticate })
    app.route(
      '/api/polylogue',
      createDoctorRoutes(() => factsOf(deps)),
    )
    if (deps.handOver !== undefined) app.route(HAND_OVER_PATH, createHandOverRoutes(deps.handOver))
  })
}

async function factsOf({ parts, status }: AppsDeps): Promise<LiveFacts> {
  const { version, phase, url } = status()
  const { url: database, software } = await parts.storage.describe()
  return {
    version,
    phase,
    ...(url !== undefined && { url }),
    node: process.versions.node,
    database,
    databaseSoftware: software,
    uptimeS: Math.round(process.uptime()),
    openStreams: parts.streams.count,
    runningTurns: parts.turns.count,
    storageFaults: parts.metrics.storageFaults.total,
    rssBytes: process.memoryUsage.rss(),
  }
}

function admitWith(
  { parts: { metrics }, config }: Pick<AppsDeps, 'parts' | 'config'>,
  authenticate: Authenticate,
  admitSocket?: (socket: Socket) => void,
): Authenticate {
  return createAdmission({
    authenticate,
    requests: createRateLimit(config.limits.requestsPerKeyPerMinute, systemClock),
    wrongKey: () => metrics.wrongKeys.add(),
    refused: () => metrics.refusals.add({ limit: 'requests' }),
    ...(admitSocket && { admitSocket }),
  })
}

function createSharedApp(deps: AppsDeps, authenticate: Authenticate, addOwn: (app: HttpApp) => void): HttpApp {
  const { parts, config, phase, log, status } = deps
  const app = createApp({ phase, log, doors: createDoors({ parts, config, authenticate }) })
  app.route('/', createMetricsRoutes(parts.metrics, authenticate))
  mountConsole(app, { parts, config, authenticate, status })
  addOwn(app)
  app.route('/', createBladeRest({ parts, config, log, authenticate }))
  return app
}
