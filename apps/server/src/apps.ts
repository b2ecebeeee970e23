import type { Access } from './access.ts'
import type { OidcSettings } from './auth/oidc-schema.ts'
import type { SignInCodes } from './auth/sign-in-codes.ts'
import { createSignInRoutes } from './auth/sign-in-routes.ts'
import type { Parts } from './compose.ts'
import type { Door, ListenerKind } from './doors/door.ts'
import { findDoor } from './doors/find-door.ts'
import type { AnswerError } from './http/answer-error.ts'
import { createApp } from './http/create-app.ts'
import type { HttpApp } from './http/request-listener.ts'
import type { Log } from './log/log.ts'
import type { Redactor } from './log/redactor.ts'
import { createMetricsRoutes } from './metrics/metrics-routes.ts'
import { createDocsRoutes } from './web/docs-routes.ts'
import { createEmbedRoutes } from './web/embed-routes.ts'
import { createWebRoutes } from './web/web-routes.ts'
import type { Phase } from './phase.ts'

export interface AppsDeps {
  readonly parts: Pick<Parts, 'engine' | 'keys' | 'metrics' | 'tracing' | 'users' | 'secretBox' | 'clock' | 'readiness'>
  readonly oidc: OidcSettings | undefined
  /** The pages that may show a session in a frame. */
  readonly embedHosts: readonly string[]
  readonly access: Access
  readonly doors: readonly Door[]
  readonly codes: SignInCodes
  readonly answerError: AnswerError
  readonly redactor: Redactor
  readonly log: Log
  readonly phase: () => Phase
}

/** All HTTP routes of the TCP listener: the doors, the page and its sign-in. */
export async function createPublicApp(deps: AppsDeps): Promise<HttpApp> {
  const { parts, access, codes, redactor, oidc, log } = deps
  const { failures, policy, authenticate, addressOf } = access
  const app = await createSharedApp(deps, 'public')
  const { keys, users, secretBox: box } = parts
  app.route(
    '/',
    createSignInRoutes({
      keys,
      codes,
      failures,
      policy,
      authenticate,
      addressOf,
      redactor,
      ...(oidc && { provider: oidc.title }),
    }),
  )
  if (oidc !== undefined) {
    const { now } = parts.clock
    const [{ createOidcClient }, { createOidcRoutes }] = await Promise.all([
      import('./auth/oidc-client.ts'),
      import('./auth/oidc-routes.ts'),
    ])
    const client = createOidcClient(oidc, { env: process.env, now })
    const { publicUrl } = access
    app.route(
      '/',
      createOidcRoutes({ settings: oidc, client, keys, users, box, policy, publicUrl, redactor, log, now }),
    )
  }
  app.route('/', createDocsRoutes())
  app.route('/', createEmbedRoutes({ hosts: deps.embedHosts, engine: parts.engine, keys, codes, policy, redactor }))
  app.route('/', createWebRoutes({ isOfDoor: (path) => findDoor(deps.doors, path) !== undefined }))
  return app
}

/** The HTTP routes of the TCP listener of a node without clients: health and metrics. */
export function createHealthApp(deps: AppsDeps): Promise<HttpApp> {
  return createSharedApp({ ...deps, doors: [] }, 'public')
}

/** All HTTP routes of the owner socket. */
export function createOwnerApp(deps: AppsDeps): Promise<HttpApp> {
  return createSharedApp(deps, 'owner')
}

async function createSharedApp(
  { parts, access, doors, phase, answerError }: AppsDeps,
  listener: ListenerKind,
): Promise<HttpApp> {
  const app = await createApp({ phase, answerError, doors, listener, readiness: () => parts.readiness() })
  app.route('/', createMetricsRoutes(parts.metrics, access.authenticate))
  return app
}
