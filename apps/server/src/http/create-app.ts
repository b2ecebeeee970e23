import type { HttpBindings } from '@hono/node-server'
import { Hono, type Context } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { Door, ListenerKind } from '../doors/door.ts'
import { createRefusalWords, findDoor } from '../doors/find-door.ts'
import type { Readiness } from '../nodes/node-health.ts'
import type { Phase } from '../phase.ts'
import { answerErrorsWith, type AnswerError } from './answer-error.ts'
import type { HttpApp } from './request-listener.ts'
import { trailOf } from './request-trail.ts'

export interface AppDeps {
  readonly phase: () => Phase
  readonly answerError: AnswerError
  readonly doors: readonly Door[]
  readonly listener: ListenerKind
  /** Absent: the server is ready whenever its phase says so. */
  readonly readiness?: () => Readiness
}

/** The routes of all doors on one listener, and what every request meets before them. */
export async function createApp({ phase, answerError, doors, listener, readiness }: AppDeps): Promise<HttpApp> {
  const app = new Hono<{ Bindings: HttpBindings }>()
  const words = createRefusalWords(doors)
  const inEveryPhase = new Set(['/healthz', '/readyz', ...doors.flatMap((door) => door.inEveryPhase ?? [])])
  app.onError(answerErrorsWith(answerError))
  app.notFound((c) => c.json(words(c.req.path, { status: 404, message: 'Not found' }), 404))

  app.use(async (c, next) => {
    trailOf(c.env.incoming).route = patternOf(c)
    const { path } = c.req
    if (phase() !== 'ready' && !inEveryPhase.has(path)) {
      const message = phase() === 'starting' ? 'The server is starting.' : 'The server is shutting down.'
      return c.json(words(path, { status: 503, message }), 503, { 'Retry-After': '2', Connection: 'close' })
    }
    // Hono answers HEAD with the GET route, which for a stream never ends. So HEAD is for pages and probes only.
    if (c.req.method === 'HEAD' && findDoor(doors, path) !== undefined) {
      const allowed = methodsAt(app, path)
      if (allowed.length === 0) return c.notFound()
      const message = `Use ${allowed.join(' or ')}.`
      return c.json(words(path, { status: 405, message }), 405, { Allow: allowed.join(', ') })
    }
    await next()
  })

  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', (c) => {
    const { lacks, degraded = [] } = readiness?.() ?? {}
    if (phase() !== 'ready') return c.json({ status: phase() }, 503)
    if (lacks !== undefined) return c.json({ status: 'unavailable', lacks }, 503, { 'Retry-After': '1' })
    return c.json({ status: 'ready', ...(degraded.length > 0 && { degraded }) })
  })
  for (const door of doors) {
    const routes = await door.routes?.(listener)
    if (routes !== undefined) app.route('/', routes)
  }
  return app
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

function methodsAt({ router }: HttpApp, path: string): readonly string[] {
  return METHODS.filter((method) =>
    router.match(method, path)[0].some(([[, route]]) => route.method === method && !route.path.endsWith('*')),
  )
}

/** The route that will answer; the ones before it, all with a star, only look at the request. */
function patternOf(c: Context): string | undefined {
  return matchedRoutes(c).findLast(({ method, path }) => method !== 'ALL' && !path.endsWith('*'))?.path
}
