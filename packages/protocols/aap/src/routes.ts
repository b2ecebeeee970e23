import type { HttpBindings } from '@hono/node-server'
import { FlushQueue, alreadySent } from '@polylogue/kit'
import type { Hono } from 'hono'
import type { AapDeps } from './deps.ts'
import { QuickRoutes } from './quick-routes.ts'
import { guarded, type Answer, type RouteAnswer } from './transport/exchange.ts'
import {
  createSession,
  deleteSession,
  listSessions,
  readHistory,
  readMeta,
  readSession,
  readSessionWithHistory,
} from './transport/session-routes.ts'
import { cancelTurn, createAndRun, followEvents, runTurn, type TurnDeps } from './transport/turn-routes.ts'
import type { AapVersion } from './wire.ts'

export interface NodeEnv {
  Bindings: HttpBindings
}

export interface AapRoutes {
  /** For any base path. Loads the router. */
  app(): Promise<Hono<NodeEnv>>
  /** The same routes below `base`. */
  readonly quick: QuickRoutes
}

export interface AapRoutesOptions {
  readonly version: AapVersion
  /** For example `/aap/v3`. */
  readonly base: string
}

/** The routes of one version. Both versions share all sessions. */
export function createAapRoutes(deps: AapDeps, { version, base }: AapRoutesOptions): AapRoutes {
  const routes: Route[] = []
  const quick = new QuickRoutes(base, version === 3 ? '/sessions' : '/session')
  const turnDeps = { ...deps, queue: new FlushQueue() }
  const { bodyBytes, smallBodyBytes } = deps.limits
  const on: AddRoute = (route, answer, { hasLargeBody = false } = {}) => {
    const [method = '', path = ''] = route.split(' ')
    const run = guarded(deps, hasLargeBody ? bodyBytes : smallBodyBytes, answer)
    quick.add(method, path, run)
    routes.push({ method, path, run })
  }
  on('GET /meta', readMeta(deps, version))
  on('GET /sessions', listSessions(deps, version))
  if (version === 3) addVersion3(on, turnDeps)
  else addVersion1(on, turnDeps)
  return { app: () => createRouter(routes), quick }
}

interface Route {
  readonly method: string
  readonly path: string
  readonly run: RouteAnswer
}

async function createRouter(routes: readonly Route[]): Promise<Hono<NodeEnv>> {
  const { Hono } = await import('hono')
  const app = new Hono<NodeEnv>()
  for (const { method, path, run } of routes) {
    app.on(method, path, async (c) => {
      await run({ ...c.env, id: c.req.param('id') ?? '' })
      return alreadySent()
    })
  }
  app.all('*', (c) => c.json({ error: 'Not found' }, 404))
  return app
}

const LARGE = { hasLargeBody: true }

/** `route` is a method and a path: `GET /sessions`. */
type AddRoute = (route: string, answer: Answer, options?: { readonly hasLargeBody?: boolean }) => void

function addVersion3(on: AddRoute, deps: TurnDeps): void {
  on('POST /sessions', createSession(deps), LARGE)
  on('GET /sessions/:id', readSession(deps))
  on('DELETE /sessions/:id', deleteSession(deps))
  on('GET /sessions/:id/history', readHistory(deps))
  on('POST /sessions/:id/turns', runTurn(deps, 3), LARGE)
  on('GET /sessions/:id/events', followEvents(deps))
  on('POST /sessions/:id/cancel', cancelTurn(deps))
}

function addVersion1(on: AddRoute, deps: TurnDeps): void {
  on('PUT /session', createAndRun(deps), LARGE)
  on('GET /session/:id', readSessionWithHistory(deps))
  on('POST /session/:id', runTurn(deps, 1), LARGE)
  on('DELETE /session/:id', deleteSession(deps))
  on('GET /session/:id/events', followEvents(deps))
  on('POST /session/:id/cancel', cancelTurn(deps))
}
