import type { HttpBindings } from '@hono/node-server'
import { Hono, type Context } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { Log } from '../log/log.ts'
import type { Phase } from '../phase.ts'
import { createErrorAnswer } from './answer-error.ts'
import type { Door } from './door.ts'
import { refusalBody } from './refusal-body.ts'
import type { HttpApp } from './request-listener.ts'
import { trailOf } from './request-trail.ts'

export interface AppDeps {
  readonly phase: () => Phase
  readonly log: Log
  readonly doors: readonly Door[]
}

/** These answer in every phase. */
const ALWAYS_OPEN = new Set(['/healthz', '/readyz', '/api/polylogue/status'])

/** All routes of one listener. */
export function createApp({ phase, log, doors }: AppDeps): HttpApp {
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.onError(createErrorAnswer(log))
  app.notFound((c) => c.json({ error: 'Not found' }, 404))

  app.use(async (c, next) => {
    trailOf(c.env.incoming).route = patternOf(c)
    if (phase() !== 'ready' && !ALWAYS_OPEN.has(c.req.path)) {
      const error = phase() === 'starting' ? 'The server is starting.' : 'The server is shutting down.'
      return c.json(refusalBody(c.req.path, error), 503, { 'Retry-After': '2', Connection: 'close' })
    }
    // A stream has no end to leave out, so HEAD is for pages and probes.
    if (c.req.method === 'HEAD' && /^\/(?:aap|api)\//.test(c.req.path)) {
      return c.json(refusalBody(c.req.path, 'Use GET.'), 405)
    }
    await next()
  })

  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', (c) => (phase() === 'ready' ? c.json({ status: 'ready' }) : c.json({ status: phase() }, 503)))
  for (const door of doors) app.route(door.path, door.app)
  return app
}

/** The route that will answer; the ones before it, all with a star, only look at the request. */
function patternOf(c: Context): string | undefined {
  return matchedRoutes(c).findLast(({ method, path }) => method !== 'ALL' && !path.endsWith('*'))?.path
}
