import { createKeyRoutes } from './admin/key-routes.ts'
import { createSessionRoutes } from './admin/session-routes.ts'
import { createStatusRoutes, type ServerStatus } from './admin/status-routes.ts'
import { createAuthenticate, type Authenticate } from './auth/authenticate.ts'
import { createFailureLimit } from './auth/failure-limit.ts'
import { authenticateOwnerSocket } from './auth/owner-socket-caller.ts'
import type { SignInCodes } from './auth/sign-in-codes.ts'
import { createSignInRoutes } from './auth/sign-in-routes.ts'
import type { LoadedConfig } from './config/load-config.ts'
import { createDoors } from './doors.ts'
import type { AccessPolicy } from './http/access-policy.ts'
import { createApp } from './http/create-app.ts'
import type { HttpApp } from './http/request-listener.ts'
import type { Log } from './log.ts'
import { createPageRoutes } from './page/page-routes.ts'
import type { Phase } from './phase.ts'
import { randomBytes } from './platform/random-bytes.ts'
import { systemClock } from './platform/system-clock.ts'
import { readVersion } from './version.ts'
import type { Parts } from './wire.ts'

export interface AppsDeps {
  readonly config: LoadedConfig
  readonly parts: Parts
  readonly codes: SignInCodes
  readonly log: Log
  readonly phase: () => Phase
  readonly status: () => ServerStatus
}

/** For everybody who has a key, and for browsers. */
export function createPublicApp(deps: AppsDeps, policy: AccessPolicy): HttpApp {
  const { parts, codes } = deps
  const failures = createFailureLimit(systemClock)
  const authenticate = createAuthenticate({ keys: parts.keys, failures, policy })
  const app = createSharedApp(deps, authenticate)
  app.route('/', createSignInRoutes({ keys: parts.keys, codes, failures, policy, authenticate }))
  app.route('/', createPageRoutes({ version: readVersion() }))
  return app
}

/** For whoever owns the data directory. */
export function createOwnerApp(deps: AppsDeps): HttpApp {
  return createSharedApp(deps, authenticateOwnerSocket)
}

function createSharedApp(deps: AppsDeps, authenticate: Authenticate): HttpApp {
  const { parts, config, phase, log, status } = deps
  const app = createApp({ phase, log, random: randomBytes, doors: createDoors({ parts, config, authenticate }) })
  app.route('/api/polylogue', createStatusRoutes(status, authenticate))
  app.route('/api/polylogue/keys', createKeyRoutes(parts.keys, authenticate))
  app.route('/api/polylogue/sessions', createSessionRoutes({ engine: parts.engine, store: parts.events, authenticate }))
  return app
}
